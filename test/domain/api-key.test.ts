import { describe, expect, test } from 'vitest';
import { formatApiKey, hashApiKey, parseApiKey } from '../../src/domain/keys/api-key.js';
import {
  ERASE,
  GRANTABLE_SCOPES,
  hasScope,
  PLATFORM_ADMIN,
  PLATFORM_SCOPES,
  SCOPES,
} from '../../src/domain/keys/scopes.js';
import { fc } from '../support/properties.js';
import { words } from '../support/refusals.js';

const KEY_42 = 'hw_42_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf3nRzje';
const id = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const random = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes));
const character = fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_');
const key = fc.tuple(id, random).map(([number, bytes]) => formatApiKey(number, bytes));

describe('an API key', () => {
  test('is its prefix, its id, 43 characters of chance and a checksum (computed elsewhere)', () => {
    const counting = Buffer.from(Array.from({ length: 32 }, (_, index) => index));
    expect(formatApiKey(42, counting)).toBe(KEY_42);
    expect(formatApiKey(1, Buffer.alloc(32, 0xff))).toBe('hw_1_yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp145MKqd');
  });

  test('gives its id back', () => {
    fc.assert(
      fc.property(id, random, (number, bytes) => {
        const text = formatApiKey(number, bytes);
        expect(text).toMatch(/^hw_[0-9]+_[0-9A-Za-z]{49}$/);
        expect(parseApiKey(text)).toEqual({ id: number });
      }),
    );
  });

  test('is refused with any one character mistyped', () => {
    fc.assert(
      fc.property(key, fc.nat(), fc.oneof(character, fc.string({ minLength: 1, maxLength: 1 })), (text, at, typo) => {
        const index = at % text.length;
        fc.pre(text[index] !== typo);
        expect(parseApiKey(text.slice(0, index) + typo + text.slice(index + 1))).toBeNull();
      }),
    );
  });

  test.each([
    ...['', 'hw_', `${KEY_42} `, `${KEY_42}\n`, ` ${KEY_42}`, KEY_42.slice(0, -1), `${KEY_42}0`, KEY_42.toUpperCase()],
    ...['042', '0', '-42', '99999999999999999999'].map((id) => KEY_42.replace('42', id)),
  ])('is not %j', (text) => {
    expect(parseApiKey(text)).toBeNull();
  });

  test('is not any other text, and none of them throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(parseApiKey(text)).toBeNull();
      }),
    );
  });

  test('is stored as the SHA-256 of its whole text (computed elsewhere)', () => {
    expect(hashApiKey(KEY_42).toString('hex')).toBe('b9adf43065a54f6396deb3f3c0caf6db4cdd107e21eacd61ad55c2d481cf7fb0');
  });
});

test('the scopes of a tenant do not include the one of the platform', () => {
  const scopes = 'webhooks:read webhooks:write events:read events:emit deliveries:read deliveries:write keys:admin';
  expect(SCOPES).toEqual(words(scopes));
  expect(SCOPES).not.toContain(PLATFORM_ADMIN);
});

test('of the scopes of the platform each has those before it; platform:read has what reads of a tenant’s, the others all but to erase', () => {
  const all = [...PLATFORM_SCOPES, ...GRANTABLE_SCOPES];
  const heldWith = (scope: (typeof all)[number]) => all.filter((one) => hasScope(new Set([scope]), one));
  expect(heldWith('platform:read')).toEqual(['platform:read', 'webhooks:read', 'events:read', 'deliveries:read']);
  const withoutErase = GRANTABLE_SCOPES.filter((scope) => scope !== ERASE);
  expect(heldWith('platform:support')).toEqual(['platform:read', 'platform:support', ...withoutErase]);
  expect(heldWith('platform:admin')).toEqual(all);
  expect(heldWith('keys:admin')).toEqual(['keys:admin']);
});
