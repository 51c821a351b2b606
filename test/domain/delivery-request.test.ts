import { createHmac } from 'node:crypto';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { type DeliveryRequestInput, deliveryRequest } from '../../src/domain/deliveries/delivery-request.js';
import { secretKeys } from '../../src/domain/signing/secret.js';
import { fc } from '../support/properties.js';

const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g';
const input: DeliveryRequestInput = {
  deliveryId: 139928371200123,
  eventType: 'booking.created',
  body: '{"booking_code":"A/1","brand":"é🎫"}',
  keys: { current: secretKeys(SECRET), previous: null },
  at: new Date('2026-01-31T09:30:00.999Z'),
  headerPrefix: 'X-Service',
  standardWebhooks: true,
  userAgent: 'Hookwright/0.1.0',
};

describe('a delivery request', () => {
  test('has exactly these headers', () => {
    expect(deliveryRequest(input).headers).toEqual({
      'content-type': 'application/json',
      'user-agent': 'Hookwright/0.1.0',
      accept: '*/*',
      'accept-encoding': 'identity',
      'X-Service-Event': 'booking.created',
      'X-Service-Delivery': '139928371200123',
      'X-Service-Signature': 'sha256=5ba2c94398eedbbaded3f6bac51bce3bd20c822182c5b691d62490f083f5f8d8',
      'X-Service-Timestamp': '1769851800',
      'webhook-id': '139928371200123',
      'webhook-timestamp': '1769851800',
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
    });
  });

  test('leaves the Standard Webhooks headers out when they are switched off', () => {
    const { headers } = deliveryRequest({ ...input, standardWebhooks: false });
    expect(Object.keys(headers).filter((name) => name.startsWith('webhook-'))).toEqual([]);
    expect(headers['X-Service-Signature']).toBe(deliveryRequest(input).headers['X-Service-Signature']);
  });

  test('names its own headers after the prefix', () => {
    const { headers } = deliveryRequest({ ...input, headerPrefix: 'X-Acme' });
    expect(headers['X-Acme-Event']).toBe('booking.created');
    expect(headers['X-Acme-Delivery']).toBe('139928371200123');
    expect(headers['X-Acme-Signature']).toMatch(/^sha256=/);
    expect(headers['X-Acme-Timestamp']).toBe('1769851800');
    expect(Object.keys(headers).filter((name) => name.startsWith('X-Service'))).toEqual([]);
  });

  test('sends the stored text byte for byte', () => {
    expect(deliveryRequest(input).body.toString('utf8')).toBe(input.body);
    expect(deliveryRequest({ ...input, body: '{ "b":1, "a" :2,"a":3}' }).body.toString()).toBe(
      '{ "b":1, "a" :2,"a":3}',
    );
  });

  test('writes the largest id in full', () => {
    const { headers } = deliveryRequest({ ...input, deliveryId: Number.MAX_SAFE_INTEGER });
    expect(headers['X-Service-Delivery']).toBe('9007199254740991');
  });

  test('keeps its id and signature on a later attempt; its timestamp is the new one', () => {
    const first = deliveryRequest(input).headers;
    const later = deliveryRequest({ ...input, at: new Date('2026-01-31T09:32:00Z') }).headers;
    expect(later['X-Service-Delivery']).toBe(first['X-Service-Delivery']);
    expect(later['X-Service-Signature']).toBe(first['X-Service-Signature']);
    expect(later['X-Service-Timestamp']).toBe('1769851920');
  });
});

test('with two secrets, after a rotation, the old one alone makes the contract’s header, both the standard one', () => {
  const current = secretKeys(`whsec_${'A'.repeat(44)}`);
  const previous = secretKeys(SECRET);
  const both = deliveryRequest({ ...input, keys: { current, previous } }).headers;
  const [one, other] = [current, previous].map(
    (keys) => deliveryRequest({ ...input, keys: { current: keys, previous: null } }).headers,
  );
  expect(both['X-Service-Signature']).toBe(other!['X-Service-Signature']);
  expect(both['webhook-signature']).toBe(`${one!['webhook-signature']} ${other!['webhook-signature']}`);
});

describe('a receiver verifies', () => {
  const verify = (body: string) => {
    // The library refuses timestamps more than five minutes from now, so this attempt is made now.
    const request = deliveryRequest({ ...input, body, at: new Date() });
    const digest = createHmac('sha256', SECRET).update(request.body).digest('hex');
    expect(request.headers['X-Service-Signature']).toBe(`sha256=${digest}`);
    return new StandardWebhook(SECRET).verify(request.body, request.headers);
  };

  test.each<[string, unknown]>([
    ['slashes', { url: 'https://example.com/a/b', escaped: '<\\/script>' }],
    ['emoji', { emoji: '🎟️👩‍👩‍👧', umlaut: 'äöü', combining: 'e\u0301' }],
    ['a NUL character', { code: 'a\u0000b' }],
    ['a lone surrogate', { high: 'a\ud800b', low: '\udc00' }],
    ['line separators', { text: '\u2028\u2029' }],
    ['256 KiB', { text: 'x'.repeat(256 * 1024 - 11) }],
  ])('a payload with %s', (_, payload) => {
    expect(verify(JSON.stringify(payload))).toEqual(payload);
  });

  test('any JSON payload', () => {
    fc.assert(
      fc.property(fc.json(), (body) => {
        expect(verify(body)).toEqual(JSON.parse(body));
      }),
    );
  });

  test('and refuses a body in which one byte has changed', () => {
    const { headers } = deliveryRequest({ ...input, at: new Date() });
    const verifier = new StandardWebhook(SECRET);
    expect(() => verifier.verify(input.body.replace('A/1', 'A/2'), headers)).toThrow();
  });
});
