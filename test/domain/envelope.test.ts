import { describe, expect, test } from 'vitest';
import { open, seal } from '../../src/domain/signing/envelope.js';
import { fc } from '../support/properties.js';

const bytes = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((array) => Buffer.from(array));
const text = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
const counting = (length: number) => Buffer.from(Array.from({ length }, (_, index) => index));

describe('an envelope', () => {
  test('is a version byte, the nonce, the AES-256-GCM ciphertext and the tag (computed elsewhere)', () => {
    const sealed = seal(counting(32), Buffer.from('whsec_example'), 'tenant:1|webhook:2', counting(12));
    expect(sealed.toString('hex')).toBe(
      '01000102030405060708090a0b306aa57ea6baa763ec2ce7e7d42395587715cc98acae0d0c4e76b96399',
    );
    expect(open(counting(32), sealed, 'tenant:1|webhook:2').toString()).toBe('whsec_example');
  });

  test('opens to what was sealed', () => {
    fc.assert(
      fc.property(bytes(32), text, fc.string(), bytes(12), (key, plaintext, aad, nonce) => {
        const sealed = seal(key, plaintext, aad, nonce);
        expect(sealed).toHaveLength(plaintext.length + 29);
        expect(open(key, sealed, aad)).toEqual(plaintext);
      }),
    );
  });

  test('does not open with any one bit changed', () => {
    fc.assert(
      fc.property(bytes(32), text, bytes(12), fc.nat(), (key, plaintext, nonce, at) => {
        const sealed = seal(key, plaintext, 'tenant:1', nonce);
        const bit = at % (sealed.length * 8);
        sealed[bit >> 3]! ^= 1 << (bit & 7);
        expect(() => open(key, sealed, 'tenant:1')).toThrow('cannot be opened');
      }),
    );
  });

  test('does not open when it was cut or has grown', () => {
    const sealed = seal(counting(32), Buffer.from('secret'), 'a', counting(12));
    for (let length = 0; length < sealed.length; length++) {
      expect(() => open(counting(32), sealed.subarray(0, length), 'a')).toThrow('cannot be opened');
    }
    expect(() => open(counting(32), Buffer.concat([sealed, Buffer.of(0)]), 'a')).toThrow('cannot be opened');
  });

  test('does not open in another place or with another key', () => {
    const sealed = seal(counting(32), Buffer.from('secret'), 'tenant:1|webhook:2', counting(12));
    expect(() => open(counting(32), sealed, 'tenant:1|webhook:3')).toThrow('cannot be opened');
    expect(() => open(counting(32), sealed, '')).toThrow('cannot be opened');
    expect(() => open(Buffer.alloc(32), sealed, 'tenant:1|webhook:2')).toThrow('cannot be opened');
  });
});
