import { type DeliveryRequest, deliveryRequest } from '../src/domain/deliveries/delivery-request.js';
import { type Jwk, jwkOf, keyPairOf } from '../src/domain/signing/key-pair.js';
import { formatSecret, secretKeys } from '../src/domain/signing/secret.js';
import { keySignature } from '../src/domain/signing/signature.js';

type Scheme = 'standard' | 'contract';

/** One delivery, as a receiver with these secrets meets it at `now`, and the result that it must come to. */
export interface Vector {
  name: string;
  /** The signature that the receiver goes by: `webhook-signature`, or `X-Service-Signature`. */
  scheme: Scheme;
  secrets: string[];
  headers: Record<string, string>;
  bodyBase64: string;
  /** The receiver's clock, Unix time in seconds. */
  now: number;
  /** `secret`: which one of `secrets` fits. */
  expect: { ok: true; secret: number } | { ok: false; reason: string };
}

const NOW = 1_790_000_000;
const ID = 4711;
const SECRET = formatSecret(Buffer.alloc(33, 'A secret of the public vectors.'));
const OLDER = formatSecret(Buffer.alloc(33, 'The secret before the rotation.'));
const OTHER = formatSecret(Buffer.alloc(33, 'The secret of another webhook.'));
/** Secrets that came with webhooks of another service. */
const IMPORTED = {
  shortest: `whsec_${Buffer.alloc(16, 'imported').toString('base64')}`,
  short: `whsec_${Buffer.alloc(24, 'imported').toString('base64')}`,
  long: `whsec_${Buffer.alloc(64, 'imported').toString('base64')}`,
  text: 'acme:secret/2024_v1!',
  hex: '0123456789abcdef'.repeat(4),
  sentence: 'a pass phrase, "quoted"',
};
const PAYLOAD = { booking_code: 'BK-4711', local_number: '17', brand: 'Übersee' };
const JSON_TEXT = JSON.stringify(PAYLOAD);
const lengthOf = (text: string) => String(Buffer.byteLength(text));
const SIGNATURE = 'X-Service-Signature';
const TIMESTAMP = 'X-Service-Timestamp';

interface Sent extends DeliveryRequest {
  secrets: string[];
  now: number;
}

/** A delivery as the service sends it, to a receiver that has the same secret and the same clock. */
function sent({ body = JSON_TEXT, secret = SECRET, previous = '', at = NOW } = {}): Sent {
  const keys = { current: secretKeys(secret), previous: previous === '' ? null : secretKeys(previous) };
  const request = deliveryRequest({
    deliveryId: ID,
    eventType: 'booking.created',
    body,
    keys,
    at: new Date(at * 1_000),
    headerPrefix: 'X-Service',
    standardWebhooks: true,
    userAgent: 'Hookwright/1',
  });
  const { 'user-agent': _agent, accept: _accept, 'accept-encoding': _encoding, ...headers } = request.headers;
  return { headers, body: request.body, secrets: [secret], now: NOW };
}

/** The same with other headers; undefined leaves one out. */
function headed(changes: Record<string, string | undefined>, delivery = sent()): Sent {
  const headers = Object.entries({ ...delivery.headers, ...changes }).filter(([, value]) => value !== undefined);
  return { ...delivery, headers: Object.fromEntries(headers) as Record<string, string> };
}

const renamed = (rename: (name: string) => string, { headers, ...delivery } = sent()): Sent => ({
  ...delivery,
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [rename(name), value])),
});
const bodied = (body: string, delivery = sent()): Sent => ({ ...delivery, body: Buffer.from(body) });
const to = (secrets: string[], delivery = sent()): Sent => ({ ...delivery, secrets });
const entries = (value: string) => headed({ 'webhook-signature': value });
const contractSaying = (value: string) => headed({ [SIGNATURE]: value });
const standardOnly = (delivery = sent()) => headed({ [SIGNATURE]: undefined, [TIMESTAMP]: undefined }, delivery);
const contractOnly = () =>
  headed({ 'webhook-id': undefined, 'webhook-timestamp': undefined, 'webhook-signature': undefined });

/** A number: the place of the secret that fits; a text: the reason of the refusal. */
type Row = [name: string, delivery: Sent, result: number | string];

const V1 = sent().headers['webhook-signature'] ?? '';
const V1_OF_OTHER = sent({ secret: OTHER }).headers['webhook-signature'] ?? '';
const SHA256 = sent().headers[SIGNATURE] ?? '';
const SPACED = JSON.stringify(PAYLOAD, null, 2);
const ESCAPES = '{"name":"Zoë 🎫 \\u2028\\n\\"/","empty":""}';
const OF_10_MINUTES_AGO = sent({ at: NOW - 600 });
const ROTATED = sent({ secret: SECRET, previous: OLDER });

const standard: Row[] = [
  ['as the service sends it', sent(), 0],
  ['with the headers of Standard Webhooks alone', standardOnly(), 0],
  ["with the contract's headers alone", contractOnly(), 'NO_SIGNATURE'],
  ['header names in capitals', renamed((name) => name.toUpperCase()), 0],
  ['a Content-Length that is right', headed({ 'Content-Length': lengthOf(JSON_TEXT) }), 0],
  ['UTF-8 and escapes', sent({ body: ESCAPES }), 0],
  ['numbers that JavaScript rounds', sent({ body: '{"id":9007199254740993,"price":1.0,"tiny":-0}' }), 0],
  ['JSON that the application wrote with spaces', sent({ body: `${SPACED}\n` }), 0],
  ['an empty body', sent({ body: '' }), 0],
  ['during a rotation, to a receiver with the new secret', ROTATED, 0],
  ['during a rotation, to a receiver with the old secret', to([OLDER], ROTATED), 0],
  ['to a receiver with two secrets: the second one fits', to([SECRET, OLDER], sent({ secret: OLDER })), 1],
  ['after a rotation, to a receiver with the old secret', to([OLDER]), 'WRONG_SECRET'],
  ['an entry of another version before it', entries(`v1a,${'A'.repeat(86)}== ${V1}`), 0],
  ['the last of four entries fits', entries(`${V1_OF_OTHER} v2,x ${V1_OF_OTHER} ${V1}`), 0],
  ['an entry that is not base64 before it', entries(`v1,*** ${V1}`), 0],
  ['entries of other versions alone', entries(V1.replace('v1,', 'v2,')), 'NO_SIGNATURE'],
  ['an empty webhook-signature', entries(''), 'NO_SIGNATURE'],
  ['an entry that is not base64', entries('v1,not*base64!'), 'MALFORMED_SIGNATURE'],
  ['an entry of too few bytes', entries(V1.slice(0, 27)), 'MALFORMED_SIGNATURE'],
  ['an empty entry', entries('v1,'), 'MALFORMED_SIGNATURE'],
  ['an entry in hex', entries(`v1,${Buffer.from(V1.slice(3), 'base64').toString('hex')}`), 'MALFORMED_SIGNATURE'],
  ['an entry without a version', entries(V1.slice(3)), 'MALFORMED_SIGNATURE'],
  ['the secret of another webhook', to([SECRET], sent({ secret: OTHER })), 'WRONG_SECRET'],
  ['an altered body of the same length', bodied(JSON_TEXT.replace('BK', 'XK')), 'WRONG_SECRET'],
  ['a body that was parsed and written with spaces', bodied(SPACED), 'BODY_CHANGED'],
  ['a body with a line break added', bodied(`${JSON_TEXT}\n`), 'BODY_CHANGED'],
  [
    'a body that differs from its Content-Length',
    bodied(JSON_TEXT.slice(0, -4), headed({ 'Content-Length': lengthOf(JSON_TEXT) })),
    'BODY_CHANGED',
  ],
  ['an altered webhook-id', headed({ 'webhook-id': '4712' }), 'HEADERS_CHANGED'],
  [
    'a replay with the time of now',
    headed({ 'webhook-timestamp': String(NOW), [TIMESTAMP]: String(NOW) }, OF_10_MINUTES_AGO),
    'HEADERS_CHANGED',
  ],
  [
    "an altered webhook-id without the contract's headers",
    standardOnly(headed({ 'webhook-id': '4712' })),
    'WRONG_SECRET',
  ],
  ['without webhook-id', headed({ 'webhook-id': undefined }), 'NO_SIGNATURE'],
  ['without webhook-timestamp', headed({ 'webhook-timestamp': undefined }), 'NO_SIGNATURE'],
  ['300 seconds old', sent({ at: NOW - 300 }), 0],
  ['301 seconds old', sent({ at: NOW - 301 }), 'TOO_OLD'],
  ['300 seconds ahead', sent({ at: NOW + 300 }), 0],
  ['301 seconds ahead', sent({ at: NOW + 301 }), 'TOO_NEW'],
  ['an imported secret of 24 bytes', sent({ secret: IMPORTED.short }), 0],
  ['an imported secret of 16 bytes', sent({ secret: IMPORTED.shortest }), 0],
  ['an imported secret that is a text', sent({ secret: IMPORTED.text }), 0],
  ['an imported secret of hexadecimal digits', sent({ secret: IMPORTED.hex }), 0],
  ['an imported secret with spaces and quotation marks', sent({ secret: IMPORTED.sentence }), 0],
  ['during a rotation from an imported secret', to([IMPORTED.hex], sent({ previous: IMPORTED.hex })), 0],
  ['a secret that has lost its whsec_', to([SECRET.slice(6)]), 'WRONG_SECRET'],
  ['a damaged secret', to([SECRET.replace('Q', '*')]), 'SECRET_MALFORMED'],
  ['a text that is too short to be a secret', to(['fifteen-letters']), 'SECRET_MALFORMED'],
];

const contract: Row[] = [
  ['as the service sends it', sent(), 0],
  ["with the contract's headers alone", contractOnly(), 0],
  ['with the headers of Standard Webhooks alone', standardOnly(), 'NO_SIGNATURE'],
  ['header names in small letters', renamed((name) => name.toLowerCase()), 0],
  ['UTF-8 and escapes', sent({ body: ESCAPES }), 0],
  ['an empty body', sent({ body: '' }), 0],
  ['during a rotation, to a receiver with the old secret', to([OLDER], ROTATED), 0],
  ['during a rotation, to a receiver with both secrets', to([SECRET, OLDER], ROTATED), 1],
  ['during a rotation, to a receiver with the new secret', ROTATED, 'WRONG_SECRET'],
  ['an empty signature', contractSaying(''), 'NO_SIGNATURE'],
  ['a signature without sha256=', contractSaying(SHA256.slice(7)), 'MALFORMED_SIGNATURE'],
  ['a signature that is not hex', contractSaying(SHA256.replaceAll(/[a-f]/g, 'g')), 'MALFORMED_SIGNATURE'],
  ['a signature that is too short', contractSaying(SHA256.slice(0, -2)), 'MALFORMED_SIGNATURE'],
  ['two signatures, joined by a proxy', contractSaying(`${SHA256}, ${SHA256}`), 'MALFORMED_SIGNATURE'],
  ['the secret of another webhook', to([SECRET], sent({ secret: OTHER })), 'WRONG_SECRET'],
  ['an altered body of the same length', bodied(JSON_TEXT.replace('BK', 'XK')), 'WRONG_SECRET'],
  ['a body that was parsed and written with spaces', bodied(SPACED), 'BODY_CHANGED'],
  ['without its timestamp', headed({ [TIMESTAMP]: undefined }), 'NO_SIGNATURE'],
  ['a timestamp that is no number', headed({ [TIMESTAMP]: 'NaN' }), 'MALFORMED_SIGNATURE'],
  ['300 seconds old', sent({ at: NOW - 300 }), 0],
  ['301 seconds old', sent({ at: NOW - 301 }), 'TOO_OLD'],
  ['301 seconds ahead', sent({ at: NOW + 301 }), 'TOO_NEW'],
  ['an imported secret of 64 bytes', sent({ secret: IMPORTED.long }), 0],
  ['an imported secret that is a text', sent({ secret: IMPORTED.text }), 0],
];

/** What every receiver must agree on, whatever language it is written in: `npm run vectors` writes them. */
export const VECTORS: readonly Vector[] = [
  ...standard.map(([name, ...row]) => ({ scheme: 'standard' as const, name: `standard: ${name}`, row })),
  ...contract.map(([name, ...row]) => ({ scheme: 'contract' as const, name: `contract: ${name}`, row })),
].map(({ scheme, name, row: [{ secrets, headers, body, now }, result] }) => ({
  name,
  scheme,
  secrets,
  headers,
  bodyBase64: body.toString('base64'),
  now,
  expect: typeof result === 'number' ? { ok: true, secret: result } : { ok: false, reason: result },
}));

/** Of RFC 8032 §7.1, tests 1 and 2: keys that anybody may know. */
const PAIR = keyPairOf(Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex'));
const OTHER_PAIR = keyPairOf(Buffer.from('4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb', 'hex'));
const BOTH = [OTHER_PAIR, PAIR].map(({ kid, publicKey }) => jwkOf(kid, publicKey));

/** A delivery as a receiver with the public keys of a tenant meets it. */
export interface KeyVector extends Omit<Vector, 'scheme' | 'secrets' | 'expect'> {
  keys: Jwk[];
  /** `kid`: which one of `keys` fits. */
  expect: { ok: true; kid: string } | { ok: false; reason: string };
}

/** A delivery that a key pair has signed besides the secret. */
function keySent(made?: Parameters<typeof sent>[0]): Sent {
  const delivery = sent(made);
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': entries } = delivery.headers;
  const entry = keySignature(PAIR.privateKey, id!, timestamp!, delivery.body);
  return headed({ 'webhook-signature': `${entries} ${entry}` }, delivery);
}

const V1A = keySent().headers['webhook-signature']!.split(' ')[1]!;
const keyEntries = (value: string) => headed({ 'webhook-signature': value }, keySent());

/** True: the pair of `PAIR` fits; a text: the reason of the refusal. */
type KeyRow = [name: string, delivery: Sent, result: true | string, keys?: Jwk[]];

const byKeyPair: KeyRow[] = [
  ['as the service sends it', keySent(), true],
  ['with one published key', keySent(), true, BOTH.slice(1)],
  ['without the entry of the secret', keyEntries(V1A), true],
  ['UTF-8 and escapes', keySent({ body: ESCAPES }), true],
  ['an empty body', keySent({ body: '' }), true],
  ['a body of 20 KiB', keySent({ body: JSON.stringify('x'.repeat(20_478)) }), true],
  ['behind an entry of another key', keyEntries(`${V1} v1a,${'A'.repeat(86)}== ${V1A}`), true],
  ['a key that is not published', keySent(), 'WRONG_KEY', BOTH.slice(0, 1)],
  ['an altered body of the same length', bodied(JSON_TEXT.replace('BK', 'XK'), keySent()), 'WRONG_KEY'],
  ['a body that was parsed and written with spaces', bodied(SPACED, keySent()), 'BODY_CHANGED'],
  ['an altered webhook-id', headed({ 'webhook-id': '4712' }, keySent()), 'WRONG_KEY'],
  [
    'a replay with the time of now',
    headed({ 'webhook-timestamp': String(NOW) }, keySent({ at: NOW - 600 })),
    'WRONG_KEY',
  ],
  ['signed by the secret alone', sent(), 'NO_SIGNATURE'],
  ['without webhook-id', headed({ 'webhook-id': undefined }, keySent()), 'NO_SIGNATURE'],
  ['an entry of too few bytes', keyEntries(V1A.slice(0, 60)), 'MALFORMED_SIGNATURE'],
  ['300 seconds old', keySent({ at: NOW - 300 }), true],
  ['301 seconds old', keySent({ at: NOW - 301 }), 'TOO_OLD'],
  ['301 seconds ahead', keySent({ at: NOW + 301 }), 'TOO_NEW'],
];

/** The same for receivers that verify by a public key. */
export const KEY_VECTORS: readonly KeyVector[] = byKeyPair.map(
  ([name, { headers, body, now }, result, keys = BOTH]) => ({
    name: `key pair: ${name}`,
    keys,
    headers,
    bodyBase64: body.toString('base64'),
    now,
    expect: result === true ? { ok: true, kid: PAIR.kid } : { ok: false, reason: result },
  }),
);

const base64 = (lines: readonly string[]) => Buffer.from(lines.join('\n')).toString('base64');

/** A line for each vector, for languages without JSON. Secrets and headers (`Name: value`) have a line each. */
export const asTsv = (vectors: readonly Vector[]): string =>
  tableOf(vectors, ['scheme', 'secrets'], ({ scheme, secrets }) => [scheme, base64(secrets)]);

/** Public keys have a line each, in base64 of their 32 bytes. */
export const asKeyTsv = (vectors: readonly KeyVector[]): string =>
  tableOf(vectors, ['keys'], ({ keys }) => [
    base64(keys.map(({ x }) => Buffer.from(x, 'base64url').toString('base64'))),
  ]);

type Common = Omit<KeyVector, 'keys' | 'expect'> & { expect: { ok: true } | { ok: false; reason: string } };

function tableOf<One extends Common>(
  vectors: readonly One[],
  columns: readonly string[],
  own: (vector: One) => readonly string[],
): string {
  const rows = vectors.map((vector) => {
    const { name, headers, bodyBase64, now, expect } = vector;
    const lines = Object.entries(headers).map(([header, value]) => `${header}: ${value}`);
    return [name, ...own(vector), base64(lines), bodyBase64, now, expect.ok ? 'ok' : expect.reason];
  });
  return [['name', ...columns, 'headers', 'body', 'now', 'expect'], ...rows]
    .map((row) => `${row.join('\t')}\n`)
    .join('');
}

export const asJson = (vectors: readonly (Vector | KeyVector)[]): string => `${JSON.stringify(vectors, null, 2)}\n`;
