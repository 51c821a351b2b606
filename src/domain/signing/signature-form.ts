import { createHash, createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { SecretKeys } from './secret.js';

/** How another system signs its requests, as the file of forms has it (docs/signatures.md, "Forms of your own"). */
export interface SignatureForm {
  /** The header with the signatures. */
  header: string;
  /** The text that is signed, with placeholders. */
  content: string;
  /** The beginning of the header. */
  prefix: string;
  /** The part of the header that each live secret has. */
  value: string;
  /** The text between those parts. Null: the header has room for one, and receivers know one secret. */
  join: string | null;
  algorithm: (typeof FORM_ALGORITHMS)[number];
  encoding: (typeof FORM_ENCODINGS)[number];
  key: (typeof FORM_KEYS)[number];
  /** Other headers by their names, which the signature may cover. */
  also: Readonly<Record<string, string>>;
}

export const FORM_ALGORITHMS = ['sha1', 'sha256', 'sha512'] as const;
export const FORM_ENCODINGS = ['hex', 'base64'] as const;
/** The key that is made of a secret: its whole text, or the bytes that are written behind `whsec_`. */
export const FORM_KEYS = ['text', 'base64', 'hex'] as const;

type Placeholder = 'id' | 'timestamp' | 'body' | 'signature' | 'type' | 'time';

/** The placeholders that each text of a form may have. */
export const FORM_PLACEHOLDERS = {
  content: ['id', 'timestamp', 'body'],
  prefix: ['id', 'timestamp'],
  value: ['id', 'timestamp', 'signature'],
  also: ['id', 'timestamp', 'type', 'time'],
} as const satisfies Record<string, readonly Placeholder[]>;

/** The placeholder that a text must have once. */
const NEEDED = { content: 'body', value: 'signature', prefix: null, also: null } as const;

/** The end of a sentence about a wrong text of a form; null: it is right. */
export function templateProblem(kind: keyof typeof FORM_PLACEHOLDERS, template: string): string | null {
  const allowed: readonly string[] = FORM_PLACEHOLDERS[kind];
  const used = piecesOf(template).filter((piece) => /[{}]/.test(piece));
  const unknown = used.find((piece) => !allowed.some((name) => piece === `{${name}}`));
  if (unknown !== undefined) {
    const names = allowed.map((name) => `{${name}}`).join(', ');
    return `has ${JSON.stringify(unknown)}; the placeholders here are ${names}, and no other braces are allowed`;
  }
  const needed = NEEDED[kind];
  return needed === null || used.filter((piece) => piece === `{${needed}}`).length === 1
    ? null
    : `must have {${needed}} once`;
}

/** Texts and placeholders in turn. */
const piecesOf = (template: string): string[] => template.split(/(\{[^{}]*\})/).filter((piece) => piece !== '');

const filled = (pieces: readonly string[], values: Readonly<Record<string, string>>): string =>
  pieces.map((piece) => (Object.hasOwn(values, piece) ? values[piece] : piece)).join('');

/** A form that is ready to sign. */
export interface PlannedForm extends Pick<SignatureForm, 'algorithm' | 'encoding' | 'key' | 'join'> {
  /** Null: the webhook's owner has set this header. */
  header: string | null;
  before: readonly string[];
  after: readonly string[];
  prefix: readonly string[];
  value: readonly string[];
  also: readonly (readonly [name: string, pieces: readonly string[]])[];
}

/** @param form whose texts have no problem */
export function planForm({ header, content, prefix, value, also, ...form }: SignatureForm): PlannedForm {
  const pieces = piecesOf(content);
  const body = pieces.indexOf('{body}');
  return {
    ...form,
    header,
    before: pieces.slice(0, body),
    after: pieces.slice(body + 1),
    prefix: piecesOf(prefix),
    value: piecesOf(value),
    also: Object.entries(also).map(([name, template]) => [name, piecesOf(template)]),
  };
}

/** The names of its headers, the one with the signatures first. */
export const headersOfForm = ({ header, also }: PlannedForm): string[] => [
  ...(header === null ? [] : [header]),
  ...also.map(([name]) => name),
];

/** The same form without some headers. */
export const withoutHeaders = (form: PlannedForm, isLeftOut: (name: string) => boolean): PlannedForm => ({
  ...form,
  header: form.header === null || isLeftOut(form.header) ? null : form.header,
  also: form.also.filter(([name]) => !isLeftOut(name)),
});

/** The same text for the same form, in every process. */
export const digestOfForm = (form: SignatureForm): string => {
  const { header, content, prefix, value, join, algorithm, encoding, key, also } = form;
  const all = [header, content, prefix, value, join, algorithm, encoding, key, Object.entries(also).toSorted()];
  return createHash('sha256').update(JSON.stringify(all)).digest('hex').slice(0, DIGEST_CHARS);
};

const DIGEST_CHARS = 16;

/** The secrets that sign a request. */
interface LiveKeys {
  current: SecretKeys;
  /** The secret before the last rotation; null when the overlap is over. */
  previous: SecretKeys | null;
}

/** A request to sign. */
interface Signed {
  id: string;
  type: string;
  timestampSeconds: number;
  body: Buffer;
}

/**
 * The headers of one attempt in a form. A header with room for one signature has that of the previous secret while an
 * overlap lasts, as `X-Service-Signature` does; otherwise the new one is first.
 */
export function signAs(form: PlannedForm, { current, previous }: LiveKeys, request: Signed): Record<string, string> {
  const { id, type, timestampSeconds } = request;
  const values = {
    '{id}': id,
    '{type}': type,
    '{timestamp}': String(timestampSeconds),
    '{time}': `${new Date(timestampSeconds * 1_000).toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length)}Z`,
  };
  const headers: Record<string, string> = {};
  if (form.header !== null) {
    const both = previous === null ? [current] : [current, previous];
    const live = form.join === null ? [previous ?? current] : both;
    const signatures = live.map((keys) =>
      filled(form.value, { ...values, '{signature}': signatureIn(form, keys, values, request.body) }),
    );
    headers[form.header] = filled(form.prefix, values) + signatures.join(form.join ?? '');
  }
  for (const [name, pieces] of form.also) {
    headers[name] = filled(pieces, values);
  }
  return headers;
}

function signatureIn(form: PlannedForm, keys: SecretKeys, values: Readonly<Record<string, string>>, body: Buffer) {
  const { algorithm, encoding, key, before, after } = form;
  // The body goes in as bytes: as text, bytes that are not UTF-8 would be signed as something else than what is sent.
  return createHmac(algorithm, formKey(keys, key))
    .update(filled(before, values))
    .update(body)
    .update(filled(after, values))
    .digest(encoding);
}

/** Made when they are first needed: few webhooks have such a form. */
const decodedKeys = { base64: new WeakMap<SecretKeys, KeyObject>(), hex: new WeakMap<SecretKeys, KeyObject>() };

function formKey(keys: SecretKeys, kind: SignatureForm['key']): KeyObject {
  if (kind === 'text') {
    return keys.contract;
  }
  const known = decodedKeys[kind].get(keys);
  if (known !== undefined) {
    return known;
  }
  const made = decoded(keys, kind);
  decodedKeys[kind].set(keys, made);
  return made;
}

const WRITTEN = { base64: /^(?:whsec_)?([A-Za-z0-9+/]+={0,2})$/, hex: /^(?:whsec_)?((?:[0-9a-fA-F]{2})+)$/ };

/** A secret that is not written so is its text: its receivers cannot have decoded it. */
function decoded({ contract }: SecretKeys, kind: keyof typeof WRITTEN): KeyObject {
  const written = WRITTEN[kind].exec(contract.export().toString('utf8'))?.[1];
  return written === undefined ? contract : createSecretKey(written, kind);
}
