import { describe, expect, test } from 'vitest';
import { hasNameTwice, isDeeperThan, isTextDeeperThan } from '../../src/domain/events/payload.js';

describe('the depth of a JSON text', () => {
  test.each([
    ...['1', '""', '{}', '[]', '{"a": [1, {"b": []}], "c": {}}', '[[], [], [[]]]', '{"[[[": "{{{"}'],
    ...['{"a\\\\": [1]}', '["\\"[[[[", [2]]', '[\n["\\\\\\"[["]\n]'],
  ])('%s is that of its value', (json) => {
    for (let levels = 0; levels < 6; levels++) {
      expect(isTextDeeperThan(json, levels), `${levels}`).toBe(isDeeperThan(JSON.parse(json), levels));
    }
  });

  test('is found however deep it is', () => {
    expect(isTextDeeperThan('['.repeat(100_000), 99_999)).toBe(true);
    expect(isTextDeeperThan('['.repeat(500) + ']'.repeat(500), 500)).toBe(false);
  });
});

test.each([
  [false, '{"a":1,"b":{"a":"\\"a\\":"},"c":[{"a":1},{"a":":"}]}'],
  [false, '{"a" :"x", "b"\n:["a", "a:"], "": {"": 1}}'],
  [true, '{"a":1,"a":1}'],
  [true, '{"b":[{"a":1,"\\u0061":2}]}'],
  [true, '{"__proto__":1,"__proto__" :2}'],
])('whether a name is there twice is %s: %s', (expected, json) => {
  expect(hasNameTwice(json, JSON.parse(json))).toBe(expected);
});
