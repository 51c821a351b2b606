import { readFilter } from '../../../../domain/content/read-filter.js';
import { type AuthInput, type ShownAuth, shownAuth, storedAuth } from '../../../../domain/fields/auth.js';
import type { Field, Kind } from '../../../../domain/fields/field.js';
import { partsOf } from '../../../../domain/fields/field-table.js';
import { isSameHeader } from '../../../../domain/fields/headers.js';
import { CLIENT_PARTS } from '../../../../domain/fields/oauth2.js';
import { readTls } from '../../../../domain/fields/read-tls.js';
import type { TlsInput } from '../../../../domain/fields/tls.js';
import { canonicalJson } from '../../../../domain/text/canonical-json.js';
import { formatTimestamp } from '../../../../domain/text/timestamp.js';

/** A value of a line that is another one than the webhook has. */
interface Other {
  words: string;
  /** The input that ends the difference. */
  input: unknown;
}

/** How a kind is compared. Values of secrets are neither compared nor shown: nobody can read those that are there. */
interface ComparedKind {
  /** The parts that are selected; none: the value alone. */
  parts: string;
  /** @returns null: it is the same */
  compare(wanted: never, there: never): Other | null;
}

const SHOWN_CHARS_MAX = 200;

function shown(value: unknown): string {
  const text = value == null ? 'none' : typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}…` : text;
}

/** @param same their forms that are the same where the values are */
const compareValues = (wanted: unknown, there: unknown, same = [wanted, there]): Other | null =>
  canonicalJson(same[0]) === canonicalJson(same[1])
    ? null
    : { words: `${shown(there)} → ${shown(wanted)}`, input: wanted };

const value: ComparedKind = { parts: '', compare: (wanted, there) => compareValues(wanted, there) };

const compareWords = (input: unknown, before: string, after: string): Other | null =>
  before === after ? null : { words: `${before} → ${after}`, input };

const comparedKinds: Record<Exclude<Kind, 'group'>, ComparedKind> = {
  text: value,
  message: value,
  shape: value,
  path: value,
  choice: value,
  number: value,
  boolean: value,
  delays: value,
  textMap: value,
  template: value,
  /** The service keeps it in its normal form. */
  url: {
    ...value,
    compare: (wanted: string, there: string) =>
      compareValues(wanted, there, [URL.canParse(wanted) ? new URL(wanted).href : null, there]),
  },
  eventTypes: {
    ...value,
    compare: (wanted: readonly string[], there: readonly string[]) =>
      compareValues(wanted, there, [wanted.toSorted(), there.toSorted()]),
  },
  /** The service keeps it without members that are null. */
  filter: {
    ...value,
    compare(wanted: unknown, there: unknown) {
      const read = readFilter(wanted);
      return compareValues(wanted, there, ['filter' in read ? read.filter : wanted, there]);
    },
  },
  headers: { parts: partsOf({ kind: 'headers' }).join(' '), compare: compareHeaders },
  auth: {
    parts: `kind username header ${CLIENT_PARTS.join(' ')}`,
    compare: (wanted: AuthInput, there: ShownAuth | null) =>
      compareWords(wanted, shown(authWords(there)), shown(authWords(authOf(wanted)))),
  },
  tls: {
    parts: 'ca { subjects endsAt } clientCertificate { subject fingerprint }',
    compare: (wanted: TlsInput, there: KnownTls) =>
      compareWords(wanted, tlsWords(there), tlsWords(shownTls(wanted, there))),
  },
};

export const comparedKindOf = ({ kind }: Pick<Field, 'kind'>): ComparedKind =>
  comparedKinds[kind as keyof typeof comparedKinds];

interface KnownHeader {
  name: string;
  value: string | null;
  secret: boolean;
}

function compareHeaders(wanted: readonly KnownHeader[], there: readonly KnownHeader[]): Other | null {
  const input = wanted.filter(({ name, value, secret }) => {
    const before = there.find((header) => isSameHeader(header.name, name));
    return before === undefined || before.secret !== secret || (!secret && before.value !== value);
  });
  const words = input.map(({ name, value, secret }) => (secret ? `${name} (secret)` : `${name}: ${value}`)).join(', ');
  return input.length === 0 ? null : { words, input };
}

/** The auth of a line, shown as the service would show it. */
function authOf(auth: AuthInput): ShownAuth | null {
  const shown = shownAuth(storedAuth(auth));
  const url = shown?.tokenUrl;
  return shown && url != null && URL.canParse(url) ? { ...shown, tokenUrl: new URL(url).href } : shown;
}

const authWords = (auth: ShownAuth | null): string =>
  auth === null
    ? 'none'
    : [auth.kind, auth.username, auth.header, ...CLIENT_PARTS.map((name) => auth[name])]
        .filter((word) => word !== null)
        .join(' ');

type KnownTls = {
  ca: { subjects: readonly string[]; endsAt: string } | null;
  clientCertificate: { subject: string; fingerprint: string } | null;
} | null;

/** The facts that readers get after the change; null: the service refuses the input. */
function shownTls(input: TlsInput, there: KnownTls): KnownTls {
  const read = readTls(input, new Date(0));
  if ('problems' in read) {
    return null;
  }
  const { ca, client } = read.tls;
  return {
    ca: ca ? { ...ca, endsAt: formatTimestamp(new Date(ca.endsAt)) } : (there?.ca ?? null),
    clientCertificate: client && 'pem' in client ? client : (there?.clientCertificate ?? null),
  };
}

function tlsWords(tls: KnownTls): string {
  const { ca = null, clientCertificate = null } = tls ?? {};
  const words = [
    ...(ca === null ? [] : [`authorities ${ca.subjects.join(' and ')} until ${ca.endsAt}`]),
    ...(clientCertificate === null
      ? []
      : [`the certificate of ${clientCertificate.subject}, ${clientCertificate.fingerprint}`]),
  ];
  return words.length === 0 ? 'none' : words.join(', ');
}
