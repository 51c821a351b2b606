import { readFileSync } from 'node:fs';
import { Webhook } from 'standardwebhooks';
import { afterEach, expect, it, vi } from 'vitest';
import { asJson, asKeyTsv, asTsv, KEY_VECTORS, VECTORS } from '../../scripts/receiver-vectors.js';

const read = (file: string) => readFileSync(`packages/receiver/vectors/${file}`, 'utf8');

afterEach(() => {
  vi.useRealTimers();
});

it('the public vectors are fresh: npm run vectors writes them', () => {
  expect(read('v1.json')).toBe(asJson(VECTORS));
  expect(read('v1.tsv')).toBe(asTsv(VECTORS));
  expect(read('v2.json')).toBe(asJson(KEY_VECTORS));
  expect(read('v2.tsv')).toBe(asKeyTsv(KEY_VECTORS));
});

it('they have names of their own, and every reason for which a receiver refuses', () => {
  expect(new Set([...VECTORS, ...KEY_VECTORS].map(({ name }) => name)).size).toBe(VECTORS.length + KEY_VECTORS.length);
  const reasons = new Set(VECTORS.flatMap(({ expect: result }) => (result.ok ? [] : [result.reason])));
  expect([...reasons].sort()).toEqual([
    'BODY_CHANGED',
    'HEADERS_CHANGED',
    'MALFORMED_SIGNATURE',
    'NO_SIGNATURE',
    'SECRET_MALFORMED',
    'TOO_NEW',
    'TOO_OLD',
    'WRONG_SECRET',
  ]);
});

// Secrets that are texts are not theirs.
const theirs = VECTORS.filter(({ scheme, secrets }) => scheme === 'standard' && /^whsec_/.test(secrets[0]!));

it.each(theirs)("Standard Webhooks' own library comes to the same result: $name", (vector) => {
  vi.useFakeTimers({ now: vector.now * 1_000 });
  const takes = vector.secrets.some((secret) => {
    try {
      const headers = Object.fromEntries(
        Object.entries(vector.headers).map(([name, value]) => [name.toLowerCase(), value]),
      );
      new Webhook(secret).verify(Buffer.from(vector.bodyBase64, 'base64'), headers);
      return true;
    } catch {
      return false;
    }
  });
  expect(takes).toBe(vector.expect.ok);
});
