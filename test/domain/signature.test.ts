import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { secretKeys } from '../../src/domain/signing/secret.js';
import { contractSignature, standardSignature } from '../../src/domain/signing/signature.js';
import { fc } from '../support/properties.js';

const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g';
const BODY = Buffer.from('{"booking_code":"A/1","brand":"é🎫"}');
const keys = secretKeys(SECRET);

describe('the contract signature', () => {
  test('is what `openssl dgst -sha256 -hmac <secret>` makes of the raw body', () => {
    expect(contractSignature(keys.contract, BODY)).toBe(
      'sha256=5ba2c94398eedbbaded3f6bac51bce3bd20c822182c5b691d62490f083f5f8d8',
    );
  });

  test('is sha256= and 64 lower-case hex digits over any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 1000 }), (bytes) => {
        const signature = contractSignature(keys.contract, Buffer.from(bytes));
        expect(signature).toMatch(/^sha256=[0-9a-f]{64}$/);
        expect(signature.slice(7)).toBe(createHmac('sha256', SECRET).update(bytes).digest('hex'));
      }),
    );
  });
});

describe('the Standard Webhooks signature', () => {
  test('is what openssl makes of id.timestamp.body with the decoded bytes as the key', () => {
    expect(standardSignature(keys.standard, '1769851800123', 1769851800, BODY)).toBe(
      'v1,DFhpD1WC9zCJN4f/tv4//AL5v9HQ5Kv1IlXnqfhBnZY=',
    );
  });

  test('changes with the id, the timestamp and the body', () => {
    const signatures = [
      standardSignature(keys.standard, '1', 1769851800, BODY),
      standardSignature(keys.standard, '2', 1769851800, BODY),
      standardSignature(keys.standard, '1', 1769851801, BODY),
      standardSignature(keys.standard, '1', 1769851800, Buffer.from('{}')),
    ];
    expect(new Set(signatures).size).toBe(4);
  });
});
