import { expect, test } from 'vitest';
import { BoundedMap } from '../../src/domain/collections/bounded-map.js';

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
