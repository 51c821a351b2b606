import { describe, expect, test } from 'vitest';
import { hasNameTwice, isDeeperThan, isTextDeeperThan, unescapedJson } from '../../src/domain/events/payload.js';

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

describe('JSON without needless escapes', () => {
  /** What JSON.stringify writes of the same text. */
  const asWritten = (written: string) => JSON.stringify(JSON.parse(`"${written}"`));
  const hex = (code: number) => code.toString(16).padStart(4, '0');

  test('has every character as JSON.stringify writes it, unless that is another escape', () => {
    const wrong: string[] = [];
    for (let code = 0; code < 0x1_0000; code++) {
      const given = `\\u${hex(code)}`;
      const written = asWritten(given);
      const expected = written.includes('\\') ? `"${given}"` : written;
      if (unescapedJson(`"${given}"`) !== expected) {
        wrong.push(given);
      }
    }
    expect(wrong).toEqual([]);
  });

  test.each(['\\uD83D\\uDE00', '\\ud800\\udc00', '\\udbff\\uDFFF'])('has the pair %s as one character', (pair) => {
    expect(unescapedJson(`{"a":"${pair}${pair}b"}`)).toBe(`{"a":${asWritten(`${pair}${pair}b`)}}`);
  });

  test('escapes halves of characters, and keeps escapes that are needed', () => {
    expect(unescapedJson('"\ud800a\udfff"')).toBe('"\\ud800a\\udfff"');
    expect(unescapedJson('"\\n\\"\\\\\\/\\u000A"')).toBe('"\\n\\"\\\\/\\u000A"');
  });
});
