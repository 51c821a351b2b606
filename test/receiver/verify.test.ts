import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { SecretMalformedError, type VerifyOptions, verify } from '../../packages/receiver/src/index.js';
import type { Vector } from '../../scripts/receiver-vectors.js';
import { deliveryRequest } from '../../src/domain/deliveries/delivery-request.js';
import { formatSecret, secretKeys } from '../../src/domain/signing/secret.js';
import { fc } from '../support/properties.js';

const vectors: Vector[] = JSON.parse(readFileSync('packages/receiver/vectors/v1.json', 'utf8'));

const NOW = new Date('2026-11-27T12:00:00Z');
const secret = formatSecret(Buffer.alloc(33, 'a'));
const older = formatSecret(Buffer.alloc(33, 'b'));

/** A delivery as the service sends it. */
function sent({
  body = '{"code":"A/1","brand":"Übersee"}',
  current = secret,
  previous = '',
  prefix = 'X-Service',
} = {}) {
  return deliveryRequest({
    deliveryId: 4711,
    eventType: 'coupon.applied',
    body,
    keys: { current: secretKeys(current), previous: previous === '' ? null : secretKeys(previous) },
    at: NOW,
    headerPrefix: prefix,
    standardWebhooks: true,
    userAgent: 'Hookwright/1',
  });
}

const check = (
  { headers, body }: { headers: Record<string, string>; body: unknown },
  secrets: string | string[] = secret,
  options: VerifyOptions = {},
) => verify(body, headers, secrets, { now: NOW, ...options });

test.each(vectors)(
  'the public vector "$name"',
  async ({ scheme, secrets, headers, bodyBase64, now, expect: result }) => {
    const options = { scheme, now: new Date(now * 1_000) };
    const verdict = await verify(Buffer.from(bodyBase64, 'base64'), headers, secrets, options).catch((error) => ({
      ok: false,
      reason: error.code,
    }));
    expect(verdict).toMatchObject(result);
  },
);

describe('a delivery of the service', () => {
  it.each(['standard', 'contract'] as const)('is verified by the %s scheme, with its payload', async (scheme) => {
    expect(await check(sent(), secret, { scheme })).toEqual({
      ok: true,
      deliveryId: '4711',
      event: 'coupon.applied',
      payload: { code: 'A/1', brand: 'Übersee' },
      sentAt: NOW,
      scheme,
      secret: 0,
    });
  });

  it('is verified as bytes, as a part of a buffer, as an ArrayBuffer and as text', async () => {
    const { headers, body } = sent();
    const bytes = new Uint8Array(body);
    const inTheMiddle = Buffer.concat([Buffer.from('xx'), body, Buffer.from('x')]).subarray(2, 2 + body.length);
    for (const form of [body, bytes, inTheMiddle, bytes.buffer, body.toString()]) {
      expect(await check({ headers, body: form })).toMatchObject({ ok: true });
    }
  });

  it('is verified with headers of the web, of Node and as entries', async () => {
    const { headers, body } = sent();
    const arrays = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
    for (const form of [new Headers(headers), arrays, Object.entries(headers), new Map(Object.entries(headers))]) {
      expect(await verify(body, form, secret, { now: NOW })).toMatchObject({ ok: true, event: 'coupon.applied' });
    }
  });

  it('is verified during a rotation by the new secret, by the old one and by both', async () => {
    const rotated = sent({ previous: older });
    expect(await check(rotated)).toMatchObject({ ok: true, secret: 0 });
    expect(await check(rotated, older)).toMatchObject({ ok: true, secret: 0 });
    expect(await check(rotated, [older, secret])).toMatchObject({ ok: true, secret: 0 });
    expect(await check(rotated, [secret, older], { scheme: 'contract' })).toMatchObject({ ok: true, secret: 1 });
  });

  it('is verified under other header names', async () => {
    const white = sent({ prefix: 'Acme' });
    const options = { scheme: 'contract', headerPrefix: 'Acme' } as const;
    expect(await check(white, secret, options)).toMatchObject({ ok: true, event: 'coupon.applied' });
    expect(await check(white, secret)).toMatchObject({ ok: true, event: '' });
    const { 'Acme-Event': event, ...headers } = white.headers;
    const renamed = { body: white.body, headers: { ...headers, 'x-kind': event! } };
    expect(await check(renamed, secret, { ...options, headerNames: { event: 'X-Kind' } })).toMatchObject({
      event: 'coupon.applied',
    });
  });
});

describe('the message of a refusal', () => {
  const messageOf = async (...args: Parameters<typeof check>) => {
    const verdict = await check(...args);
    return verdict.ok ? '' : `${verdict.status} ${verdict.reason}: ${verdict.message}`;
  };

  it('names the line that gives the raw body, when it was parsed', async () => {
    for (const body of [{ code: 'A/1' }, undefined, null, 1]) {
      expect(await messageOf({ ...sent(), body })).toMatch(/^500 BODY_PARSED: .*express\.raw.*rawBody: true/);
    }
  });

  it('shows the first characters of the secrets that were tried, and nothing of an imported text', async () => {
    const message = await messageOf(sent(), [older, 'acme:secret/2024_v1!']);
    expect(message).toMatch(/^401 WRONG_SECRET: No secret fits \(tried: whsec_YmJi…, a text without whsec_\)\./);
    expect(message).not.toMatch(/acme|YmJiY/);
  });

  it.each(['standard', 'contract'] as const)('says when only whsec_ is missing or too much: %s', async (scheme) => {
    const part = secret.slice('whsec_'.length);
    expect(await messageOf(sent(), part, { scheme })).toMatch(
      /^401 WRONG_SECRET: The secret fits as whsec_YWFh…: set it/,
    );
    expect(await messageOf(sent(), [older, part], { scheme })).toMatch(/fits as whsec_YWFh…:/);
    const imported = sent({ current: part });
    expect(await messageOf(imported, secret, { scheme })).toMatch(
      /^401 WRONG_SECRET: The secret fits as a text without whsec_:/,
    );
    expect(await messageOf(imported, older, { scheme })).toMatch(/No secret fits \(tried: whsec_YmJi…\)/);
  });

  it('says what to pass where there are no headers', async () => {
    for (const headers of [null, undefined, 'webhook-id: 1', 7]) {
      expect(await messageOf({ headers: headers as never, body: sent().body })).toMatch(
        /^401 NO_SIGNATURE: There are no headers: .*event\.multiValueHeaders/,
      );
    }
  });

  it('says how far off the clock is, from 301 seconds on', async () => {
    const at = (seconds: number) => ({ now: new Date(NOW.getTime() + seconds * 1_000) });
    expect(await messageOf(sent(), secret, at(300))).toBe('');
    expect(await messageOf(sent(), secret, at(300.5))).toMatch(/^401 TOO_OLD: It was sent 301 s ago/);
    expect(await messageOf(sent(), secret, at(-3_600))).toMatch(/^401 TOO_NEW: It was sent 3600 s in the future/);
    expect(await messageOf(sent(), secret, { ...at(30), toleranceSeconds: 10 })).toMatch(/TOO_OLD.* 10 s are allowed/);
  });

  it('says where the body was rewritten, and what else the service sends', async () => {
    const { headers, body } = sent();
    const rewritten = { headers: { ...headers, 'content-length': '99' }, body: `${body} ` };
    expect(await messageOf(rewritten)).toMatch(/^401 BODY_CHANGED: The body has 34 bytes, and Content-Length says 99/);
    const { 'webhook-signature': _, ...contractOnly } = headers;
    expect(await messageOf({ headers: contractOnly, body })).toMatch(/NO_SIGNATURE: .*scheme: 'contract'/);
  });
});

describe('a malformed secret is thrown, and never quoted', () => {
  it.each([
    ['', 'empty'],
    ['fifteen-letters', '15 characters'],
    [`${secret}\n`, 'a line break or a quotation mark at its edge'],
    [`whsec_${Buffer.alloc(15).toString('base64')}`, 'neither form'],
    [`whsec_${Buffer.alloc(76).toString('base64')}`, 'neither form'],
    [secret.replace('YWFh', 'YW-h'), 'neither form'],
    ['x'.repeat(257), '257 characters'],
    ['a text with\u0007a bell', 'neither form'],
    ['a text that is not ASCII: ü', 'neither form'],
  ])('%j: %s', async (text, message) => {
    const error = await verify('', {}, [secret, text]).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(SecretMalformedError);
    expect(error.code).toBe('SECRET_MALFORMED');
    expect(error.message).toContain(message);
    expect(text !== '' && error.message.includes(text.trim())).toBe(false);
  });

  it('so are a missing one, an empty list and a tolerance that would let everything in', async () => {
    await expect(verify('', {}, undefined as unknown as string)).rejects.toThrow('environment variable');
    await expect(verify('', {}, [])).rejects.toThrow('the list is empty');
    for (const toleranceSeconds of [Number.NaN, Number.POSITIVE_INFINITY, -1]) {
      await expect(check(sent(), secret, { toleranceSeconds })).rejects.toThrow(RangeError);
    }
  });
});

describe('whatever a stranger sends', () => {
  const names = [
    ...['webhook-id', 'webhook-timestamp', 'webhook-signature', 'content-length', 'get', '__proto__', 'constructor'],
    ...['X-Service-Event', 'X-Service-Delivery', 'X-Service-Signature', 'X-Service-Timestamp'],
  ];
  const values = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.constantFrom('v1,', `v1,${'A'.repeat(43)}=`, `sha256=${'0'.repeat(64)}`, '1790000000', '9'.repeat(400), '-1'),
    fc.array(fc.string(), { maxLength: 3 }),
  );
  const headers = fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), values, { maxKeys: 12 });
  const bodies = fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.json(), fc.anything());

  it('is refused with a reason, and never throws', async () => {
    const scheme = fc.constantFrom('standard' as const, 'contract' as const);
    await fc.assert(
      fc.asyncProperty(headers, bodies, scheme, async (given, body, taken) => {
        const verdict = await verify(body, given, [secret, older], { scheme: taken });
        expect(verdict).toMatchObject({ ok: false, message: expect.stringMatching(/^[A-Z\w].+[.).]$/) });
      }),
    );
  });

  it('is refused when one character of a signed header or one byte of the body differs', async () => {
    const { headers: genuine, body } = sent();
    const changes = fc.record({
      part: fc.constantFrom('webhook-id', 'webhook-timestamp', 'webhook-signature', 'body'),
      at: fc.nat(),
      by: fc.integer({ min: 1, max: 127 }),
    });
    await fc.assert(
      fc.asyncProperty(changes, async ({ part, at, by }) => {
        const bytes = Buffer.from(part === 'body' ? body : genuine[part]!);
        bytes[at % bytes.length]! ^= by;
        const changed = part === 'body' ? { headers: genuine, body: bytes } : { headers: { ...genuine }, body };
        changed.headers[part] = part === 'body' ? '' : bytes.toString('latin1');
        expect(await check(changed)).toMatchObject({ ok: false });
      }),
    );
  });

  it('costs no more with hundreds of signatures, or with JSON that is nested deeply', async () => {
    const { headers } = sent();
    const crowd = { ...headers, 'webhook-signature': `v1,${'A'.repeat(43)}= `.repeat(300) };
    expect(await check({ headers: crowd, body: '['.repeat(1_000_000) })).toMatchObject({ reason: 'WRONG_SECRET' });
  });
});
