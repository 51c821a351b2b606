import { otherForm, readSecrets, type SecretKeys } from '../../../../packages/receiver/src/secrets.js';
import { type Bytes, signatureOf } from '../../../../packages/receiver/src/signature.js';

/** The headers of a request, by name in any case. A header that came twice is a list. */
export type Headers = Readonly<Record<string, unknown>>;

/** The result of checking one signature. */
export interface Verdict {
  /** The header that it is in, in lower case. */
  header: string;
  scheme: 'service' | 'standard';
  /** Which one of the header, from 1: `webhook-signature` has several while a rotated secret's overlap lasts. */
  entry: number;
  /** `malformed`: it does not begin as its scheme asks. */
  result: 'valid' | 'differs' | 'malformed';
  given: string;
  expected: string;
}

/**
 * Why a text is not the secret. `spaces`: without white space around it, it may be one. `prefix`: it fits with `whsec_`
 * in front.
 */
export type BadSecret = 'empty' | 'form' | 'length' | 'characters' | 'spaces' | 'prefix';

export type Verification =
  | { kind: 'bad-secret'; why: BadSecret }
  /** The request has no signature. */
  | { kind: 'unsigned' }
  | { kind: 'verified'; verdicts: Verdict[] };

const PREFIX = 'whsec_';
/** No secret verifies such an entry: it stands behind the others. */
const BY_KEY_PAIR = 'v1a,';

/**
 * Verifies both signatures of a request, over its exact bytes (docs/interface.md, "Deliveries"): `X-Service-Signature`,
 * by whatever prefix the service has for its headers, and `webhook-signature` of Standard Webhooks.
 *
 * @param secret as it was shown when it was made, or as it came with the webhook. It is kept nowhere.
 * @throws DOMException where the page has no WebCrypto, as over plain http
 */
export async function verifySignatures(secret: string, headers: Headers, body: Uint8Array): Promise<Verification> {
  const keys = keysOf(secret);
  if (typeof keys === 'string') {
    return { kind: 'bad-secret', why: keys };
  }
  const values = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));
  const sent = new Uint8Array(body);
  const verdicts = await verdictsOf(keys, values, sent);
  if (verdicts.length === 0) {
    return { kind: 'unsigned' };
  }
  const whole = secret.startsWith(PREFIX) || verdicts.some(isValid) ? null : otherForm(keys);
  return whole !== null && (await verdictsOf(whole, values, sent)).some(isValid)
    ? { kind: 'bad-secret', why: 'prefix' }
    : { kind: 'verified', verdicts };
}

const isValid = ({ result }: Verdict) => result === 'valid';

async function verdictsOf(keys: SecretKeys, values: ReadonlyMap<string, string>, body: Bytes): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const [header, value] of values) {
    if (header === 'webhook-signature') {
      verdicts.push(...(await standardVerdicts(keys, values, value, body)));
    } else if (header.endsWith('-signature')) {
      verdicts.push(await serviceVerdict(keys, header, value, body));
    }
  }
  return verdicts;
}

/** The keys of a secret, by the code of receivers; or what is wrong with it. */
function keysOf(secret: string): SecretKeys | Exclude<BadSecret, 'prefix'> {
  if (secret.trim() === '') {
    return 'empty';
  }
  if (secret !== secret.trim()) {
    return 'spaces';
  }
  try {
    return readSecrets(secret)[0]!;
  } catch {
    if (!secret.startsWith(PREFIX)) {
      return 'form';
    }
    return /^[A-Za-z0-9+/]*={0,2}$/.test(secret.slice(PREFIX.length)) ? 'length' : 'characters';
  }
}

/** The key is the whole secret, with its `whsec_`; only the body is signed. */
async function serviceVerdict(secret: SecretKeys, header: string, given: string, body: Bytes): Promise<Verdict> {
  const expected = `sha256=${await signatureOf(secret, { scheme: 'contract', id: '', timestamp: '' }, body)}`;
  const result = given === expected ? 'valid' : given.startsWith('sha256=') ? 'differs' : 'malformed';
  return { header, scheme: 'service', entry: 1, result, given, expected };
}

/** The key is the bytes behind `whsec_`, or an imported text; id, timestamp and body are signed. */
async function standardVerdicts(
  secret: SecretKeys,
  headers: ReadonlyMap<string, string>,
  value: string,
  body: Bytes,
): Promise<Verdict[]> {
  const [id = '', timestamp = ''] = [headers.get('webhook-id'), headers.get('webhook-timestamp')];
  const expected = `v1,${await signatureOf(secret, { scheme: 'standard', id, timestamp }, body)}`;
  return value
    .split(' ')
    .filter((given) => !given.startsWith(BY_KEY_PAIR))
    .map((given, index) => ({
      header: 'webhook-signature',
      scheme: 'standard' as const,
      entry: index + 1,
      result: given === expected ? 'valid' : given.startsWith('v1,') ? 'differs' : 'malformed',
      given,
      expected,
    }));
}

/** Where two bodies first differ, in bytes from 0; undefined when they are the same. */
export function firstDifference(sent: Uint8Array, received: Uint8Array): number | undefined {
  const length = Math.max(sent.length, received.length);
  for (let at = 0; at < length; at += 1) {
    if (sent[at] !== received[at]) {
      return at;
    }
  }
  return undefined;
}
