import { expect, test } from 'vitest';
import { WeighedMap } from '../../src/domain/collections/weighed-map.js';

test('a weighed map forgets what was not asked for longest, until all of it weighs little enough', () => {
  const map = new WeighedMap<string, number>(10);
  map.set('a', 1, 4, 0);
  map.set('b', 2, 4, 0);
  expect(map.get('a', 0)).toBe(1);
  map.set('c', 3, 4, 0);
  expect(['a', 'b', 'c'].map((key) => map.get(key, 0))).toEqual([1, undefined, 3]);
  map.set('a', 4, 2, 0);
  map.set('d', 5, 4, 0);
  expect(['a', 'c', 'd'].map((key) => map.get(key, 0))).toEqual([4, 3, 5]);
  map.set('e', 6, 11, 0);
  expect(['a', 'c', 'd', 'e'].map((key) => map.get(key, 0))).toEqual([4, 3, 5, undefined]);
  map.set('f', 7, 10, 0);
  expect(['a', 'c', 'd', 'f'].map((key) => map.get(key, 0))).toEqual([undefined, undefined, undefined, 7]);
});

test('a weighed map forgets each entry after its time, also one that is asked for', () => {
  const map = new WeighedMap<string, number>(10, 60);
  map.set('a', 1, 9, 0);
  expect(map.get('a', 59)).toBe(1);
  expect(map.get('a', 60)).toBeUndefined();
  map.set('b', 2, 10, 60);
  expect(map.get('b', 60)).toBe(2);
});

test('a weighed map forgets, when it is asked to, the entries whose time is over, and keeps the others', () => {
  const map = new WeighedMap<string, number>(10, 60);
  map.set('a', 1, 5, 0);
  map.set('b', 2, 5, 30);
  map.forget(59);
  expect(map.size).toBe(2);
  map.forget(60);
  expect([map.size, map.get('b', 60)]).toEqual([1, 2]);
});
