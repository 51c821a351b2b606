import { expect, test } from 'vitest';
import { diffLines, inLines } from '../../dashboard/screens/deliveries/one/diff.js';
import { fc } from '../support/properties.js';

const compared = (first: string, second: string) =>
  diffLines(first, second).map(({ kind, text }) => `${{ same: ' ', removed: '-', added: '+' }[kind]}${text}`);

test('two texts are compared line by line', () => {
  expect(compared('a\nb\nc\nd', 'a\nc\nx\nd')).toEqual([' a', '-b', ' c', '+x', ' d']);
  expect(compared('', 'a')).toEqual(['+a']);
  expect(compared('a', '')).toEqual(['-a']);
  expect(compared('a', 'a')).toEqual([' a']);
});

test('both texts can be read from their comparison', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(lines, lines, (first, second) => {
      const result = diffLines(first.join('\n'), second.join('\n'));
      const side = (without: string) => result.filter(({ kind }) => kind !== without).map(({ text }) => text);
      expect(side('added').join('\n')).toBe(first.join('\n'));
      expect(side('removed').join('\n')).toBe(second.join('\n'));
    }),
  );
});

test('texts of many lines that all differ are compared in bounded time', () => {
  const numbers = (from: number) => Array.from({ length: 20_000 }, (_, at) => `${from + at}`).join('\n');
  expect(diffLines(numbers(0), numbers(100_000))).toHaveLength(40_000);
});

test('a JSON text gets a line for each member, and keeps every character of its values', () => {
  expect(inLines('{"a":[1,2.50,{}],"b":"x, {y}","c":12345678901234567890}')).toBe(
    '{\n  "a": [\n    1,\n    2.50,\n    {}\n  ],\n  "b": "x, {y}",\n  "c": 12345678901234567890\n}',
  );
  expect(inLines('no {json')).toBe('no {json');
});
