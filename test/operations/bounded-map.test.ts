import { expect, test } from 'vitest';
import { BoundedMap } from '../../src/domain/bounded-map.js';

test('a bounded map forgets what was added longest ago, and nothing when what it has is set anew', () => {
  const map = new BoundedMap<string, number>(3);
  for (const [index, key] of ['a', 'b', 'c'].entries()) {
    map.set(key, index);
  }
  map.set('a', 9);
  expect([...map]).toEqual([
    ['a', 9],
    ['b', 1],
    ['c', 2],
  ]);
  map.set('d', 3).set('e', 4);
  expect([...map.keys()]).toEqual(['c', 'd', 'e']);
});

test('what is renewed counts as added now, whether it was there or not', () => {
  const map = new BoundedMap<string, number>(2);
  map.renew('a', 0).renew('b', 1).renew('a', 2).renew('c', 3);
  expect([...map]).toEqual([
    ['a', 2],
    ['c', 3],
  ]);
});

test('a bounded map has the newest of a hundred thousand', () => {
  const map = new BoundedMap<number, number>(1_000);
  for (let n = 0; n < 100_000; n++) {
    map.set(n, n);
  }
  expect(map.size).toBe(1_000);
  expect(map.has(99_000)).toBe(true);
  expect(map.has(98_999)).toBe(false);
});
