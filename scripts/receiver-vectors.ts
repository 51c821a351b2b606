import { type DeliveryRequest, deliveryRequest } from '../src/domain/deliveries/delivery-request.js';
import { formatSecret, secretKeys } from '../src/domain/signing/secret.js';

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

const base64 = (lines: readonly string[]) => Buffer.from(lines.join('\n')).toString('base64');

/** A line for each vector, for languages without JSON. Secrets and headers (`Name: value`) have a line each. */
export function asTsv(vectors: readonly Vector[]): string {
  const rows = vectors.map(({ name, scheme, secrets, headers, bodyBase64, now, expect }) => [
    name,
    scheme,
    base64(secrets),
    base64(Object.entries(headers).map(([header, value]) => `${header}: ${value}`)),
    bodyBase64,
    now,
    expect.ok ? 'ok' : expect.reason,
  ]);
  return [['name', 'scheme', 'secrets', 'headers', 'body', 'now', 'expect'], ...rows]
    .map((row) => `${row.join('\t')}\n`)
    .join('');
}

export const asJson = (vectors: readonly Vector[]): string => `${JSON.stringify(vectors, null, 2)}\n`;
