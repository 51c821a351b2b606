import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { firstDifference, verifySignatures } from '../../dashboard/screens/deliveries/one/verify.js';
import { VECTORS } from '../../scripts/receiver-vectors.js';
import { formatSecret, secretKeys } from '../../src/domain/signing/secret.js';
import { contractSignature, standardSignature } from '../../src/domain/signing/signature.js';

const newSecret = () => formatSecret(randomBytes(33));
const bytes = (text: string) => new TextEncoder().encode(text);
const BODY = '{"name":"Zoë","n":1.0}';
const ID = '245838155091974';
const TIMESTAMP = 1_795_708_680;

/** The headers of a delivery; with two secrets as in an overlap: the old one, then the new one. */
function headersOf(secrets: string[], prefix = 'X-Service') {
  const keys = secrets.map(secretKeys);
  const body = Buffer.from(BODY);
  return {
    [`${prefix}-Signature`]: contractSignature(keys[0]!.contract, body),
    'webhook-id': ID,
    'webhook-timestamp': String(TIMESTAMP),
    'webhook-signature': keys.map(({ standard }) => standardSignature(standard, ID, TIMESTAMP, body)).join(' '),
  };
}

const resultsOf = async (secret: string, headers: Record<string, unknown>, body = BODY) => {
  const verification = await verifySignatures(secret, headers, bytes(body));
  return verification.kind === 'verified'
    ? verification.verdicts.map(({ header, entry, result }) => `${header} ${entry} ${result}`)
    : verification;
};

test('both signatures of a delivery are valid with its secret', async () => {
  const secret = newSecret();
  expect(await resultsOf(secret, headersOf([secret]))).toEqual([
    'x-service-signature 1 valid',
    'webhook-signature 1 valid',
  ]);
});

test('a signature by the standardwebhooks package is valid, and what is computed here it takes', async () => {
  const secret = newSecret();
  const webhook = new Webhook(secret);
  const now = new Date();
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
    'webhook-signature': webhook.sign('msg_1', now, BODY),
  };
  const verification = await verifySignatures(secret, headers, bytes(BODY));
  const expected = verification.kind === 'verified' ? verification.verdicts[0]!.expected : '';
  expect(verification).toMatchObject({ verdicts: [{ result: 'valid', scheme: 'standard' }] });
  expect(webhook.verify(BODY, { ...headers, 'webhook-signature': expected })).toEqual(JSON.parse(BODY));
});

test('in the overlap of a rotation the old secret is that of the service header, the new one of the second entry', async () => {
  const [old, young] = [newSecret(), newSecret()];
  expect(await resultsOf(old, headersOf([old, young]))).toEqual([
    'x-service-signature 1 valid',
    'webhook-signature 1 valid',
    'webhook-signature 2 differs',
  ]);
  expect(await resultsOf(young, headersOf([old, young]))).toEqual([
    'x-service-signature 1 differs',
    'webhook-signature 1 differs',
    'webhook-signature 2 valid',
  ]);
});

test('one byte of the body makes both signatures differ', async () => {
  const secret = newSecret();
  expect(await resultsOf(secret, headersOf([secret]), BODY.replace('1.0', '1'))).toEqual([
    'x-service-signature 1 differs',
    'webhook-signature 1 differs',
  ]);
});

test('another timestamp makes only the signature differ that covers it', async () => {
  const secret = newSecret();
  const headers = { ...headersOf([secret]), 'webhook-timestamp': String(TIMESTAMP + 1) };
  expect(await resultsOf(secret, headers)).toEqual(['x-service-signature 1 valid', 'webhook-signature 1 differs']);
});

test('headers of another prefix are verified too, and what does not have the form of a signature is told', async () => {
  const secret = newSecret();
  expect(await resultsOf(secret, headersOf([secret], 'X-Acme'))).toContain('x-acme-signature 1 valid');
  expect(await resultsOf(secret, { 'X-Service-Signature': 'md5=00', 'webhook-signature': 'v0,x' })).toEqual([
    'x-service-signature 1 malformed',
    'webhook-signature 1 malformed',
  ]);
  expect(await resultsOf(secret, { 'content-type': 'application/json' })).toEqual({ kind: 'unsigned' });
});

test.each(['acme:secret/2024_v1!', '0123456789abcdef'.repeat(4), `whsec_${Buffer.alloc(24, 1).toString('base64')}`])(
  'both signatures of a delivery are valid with the imported secret %j',
  async (secret) => {
    expect(await resultsOf(secret, headersOf([secret]))).toEqual([
      'x-service-signature 1 valid',
      'webhook-signature 1 valid',
    ]);
  },
);

test('a secret without its whsec_ is told where it fits with it, and is one like others elsewhere', async () => {
  const secret = newSecret();
  const part = secret.slice('whsec_'.length);
  expect(await resultsOf(part, headersOf([secret]))).toEqual({ kind: 'bad-secret', why: 'prefix' });
  expect(await resultsOf(part, headersOf([newSecret()]))).toEqual([
    'x-service-signature 1 differs',
    'webhook-signature 1 differs',
  ]);
});

test.each([
  ['', 'empty'],
  [' whsec_AAAA', 'spaces'],
  ['AAAA', 'form'],
  ['whsec_AAAA', 'length'],
  [`whsec_${'A'.repeat(43)}!`, 'characters'],
])('the secret %j is refused: %s', async (secret, why) => {
  expect(await resultsOf(secret, headersOf([newSecret()]))).toEqual({ kind: 'bad-secret', why });
});

/** The dialog shows which signature fits, of a request that may be days old: it does not judge times. */
const OF_SIGNATURES = VECTORS.filter(({ scheme, name }) => scheme === 'standard' || !name.includes('timestamp'));
const FITS_AT_ANOTHER_TIME = ['TOO_OLD', 'TOO_NEW'];

test.each(OF_SIGNATURES)('it agrees with a public vector: $name', async (vector) => {
  const body = new Uint8Array(Buffer.from(vector.bodyBase64, 'base64'));
  const fits = await Promise.all(
    vector.secrets.map(async (secret) => {
      const verification = await verifySignatures(secret, vector.headers, body);
      const scheme = vector.scheme === 'contract' ? 'service' : 'standard';
      return (
        verification.kind === 'verified' &&
        verification.verdicts.some((verdict) => verdict.scheme === scheme && verdict.result === 'valid')
      );
    }),
  );
  const result = vector.expect;
  expect(fits.indexOf(true)).toBe(result.ok ? result.secret : FITS_AT_ANOTHER_TIME.includes(result.reason) ? 0 : -1);
});

test('the first byte in which two bodies differ is found', () => {
  expect(firstDifference(bytes('{"a":1}'), bytes('{"a": 1}'))).toBe(5);
  expect(firstDifference(bytes('ab'), bytes('abc'))).toBe(2);
  expect(firstDifference(bytes('ab'), bytes('ab'))).toBeUndefined();
});
