/** The headers of a request, by name in any case. A header that came twice is a list. */
export type Headers = Readonly<Record<string, unknown>>;

/** The result of checking one signature. */
export interface Verdict {
  /** The header that it stands in, in lower case. */
  header: string;
  scheme: 'service' | 'standard';
  /** Which one of the header, from 1: `webhook-signature` has several while a rotated secret's overlap lasts. */
  entry: number;
  /** `malformed`: it does not begin as its scheme asks. */
  result: 'valid' | 'differs' | 'malformed';
  given: string;
  expected: string;
}

export type Verification =
  /** The secret is none, so nothing was computed. `spaces`: without white space around it, it would be one. */
  | { kind: 'bad-secret'; why: 'empty' | 'prefix' | 'length' | 'characters' | 'spaces' }
  /** The request has no signature. */
  | { kind: 'unsigned' }
  | { kind: 'verified'; verdicts: Verdict[] };

const PREFIX = 'whsec_';
/** 33 bytes in base64. */
const SECRET_CHARS = 44;

/**
 * Verifies both signatures of a request, over its exact bytes (docs/interface.md, "Deliveries"): `X-Service-Signature`,
 * by whatever prefix the service has for its headers, and `webhook-signature` of Standard Webhooks.
 *
 * @param secret as it was shown when it was made: `whsec_…`. It is kept nowhere.
 * @throws DOMException where the page has no WebCrypto, as over plain http
 */
export async function verifySignatures(secret: string, headers: Headers, body: Uint8Array): Promise<Verification> {
  const why = faultOf(secret);
  if (why !== undefined) {
    return { kind: 'bad-secret', why };
  }
  const values = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));
  const verdicts: Verdict[] = [];
  for (const [header, value] of values) {
    if (header === 'webhook-signature') {
      verdicts.push(...(await standardVerdicts(secret, values, value, body)));
    } else if (header.endsWith('-signature')) {
      verdicts.push(await serviceVerdict(secret, header, value, body));
    }
  }
  return verdicts.length === 0 ? { kind: 'unsigned' } : { kind: 'verified', verdicts };
}

function faultOf(secret: string) {
  if (secret.trim() === '') {
    return 'empty';
  }
  if (secret !== secret.trim()) {
    return 'spaces';
  }
  if (!secret.startsWith(PREFIX)) {
    return 'prefix';
  }
  const base64 = secret.slice(PREFIX.length);
  if (!/^[A-Za-z0-9+/]*$/.test(base64)) {
    return 'characters';
  }
  return base64.length === SECRET_CHARS ? undefined : 'length';
}

/** The key is the whole secret, with its `whsec_`; only the body is signed. */
async function serviceVerdict(secret: string, header: string, given: string, body: Uint8Array): Promise<Verdict> {
  const mac = await hmac(new TextEncoder().encode(secret), body);
  const expected = `sha256=${[...mac].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  const result = given === expected ? 'valid' : given.startsWith('sha256=') ? 'differs' : 'malformed';
  return { header, scheme: 'service', entry: 1, result, given, expected };
}

/** The key is the bytes behind `whsec_`; id, timestamp and body are signed. */
async function standardVerdicts(
  secret: string,
  headers: ReadonlyMap<string, string>,
  value: string,
  body: Uint8Array,
): Promise<Verdict[]> {
  const key = Uint8Array.from(atob(secret.slice(PREFIX.length)), (character) => character.charCodeAt(0));
  const head = new TextEncoder().encode(
    `${headers.get('webhook-id') ?? ''}.${headers.get('webhook-timestamp') ?? ''}.`,
  );
  const signed = new Uint8Array(head.length + body.length);
  signed.set(head);
  signed.set(body, head.length);
  const mac = await hmac(key, signed);
  const expected = `v1,${btoa(String.fromCharCode(...mac))}`;
  return value.split(' ').map((given, index) => ({
    header: 'webhook-signature',
    scheme: 'standard' as const,
    entry: index + 1,
    result: given === expected ? 'valid' : given.startsWith('v1,') ? 'differs' : 'malformed',
    given,
    expected,
  }));
}

async function hmac(key: Uint8Array, message: Uint8Array): Promise<Uint8Array> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await crypto.subtle.importKey('raw', new Uint8Array(key), algorithm, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, new Uint8Array(message)));
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
