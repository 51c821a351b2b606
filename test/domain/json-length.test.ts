import { expect, test } from 'vitest';
import { isLonger } from '../../src/domain/text/json-length.js';
import { fc } from '../support/properties.js';

test('what is longer than so many characters is longer than that as JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (tree) => {
      const { length } = JSON.stringify(tree);
      expect(isLonger(tree, length)).toBe(false);
    }),
  );
});

test.each([
  ['a text', 'x'.repeat(101)],
  ['texts', Array(10).fill('x'.repeat(11))],
  ['names', Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`name ${n}`, 0]))],
  ['numbers', { a: { b: Array(100).fill(0) } }],
  ['empty lists', Array(101).fill([])],
])('%s of more than 100 characters are longer', (_, tree) => {
  expect([isLonger(tree, 100), isLonger(tree, 1_000)]).toEqual([true, false]);
});

test('of a tree of any size no more is read than is asked for', () => {
  const read: string[] = [];
  const noted = (name: string) => ({
    get [name]() {
      read.push(name);
      return 'x'.repeat(60);
    },
  });
  expect(isLonger([noted('a'), noted('b'), noted('c'), noted('d')], 100)).toBe(true);
  expect(read).toEqual(['a', 'b']);
});

test('a tree of any depth is read', () => {
  let deep: unknown = 'end';
  for (let level = 0; level < 100_000; level++) {
    deep = [deep];
  }
  expect(isLonger(deep, 100)).toBe(false);
});
