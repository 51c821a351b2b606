import { expect, test } from 'vitest';
import { noted, type Reading, rateOf } from '../../dashboard/screens/operations/rates.js';

const readings = (...all: [at: number, processed: number][]) =>
  all.reduce<Reading[]>((before, [at, processed]) => noted(before, { at, processed }), []);

test('an operation is as fast as in the last seconds', () => {
  expect(rateOf(readings([0, 0], [10_000, 1_000]), 10_000)).toBe(0.1);
  expect(rateOf(readings([0, 0], [30_000, 9_000], [40_000, 10_000]), 40_000)).toBe(0.1);
});

test('one that stands still gets slower', () => {
  expect(rateOf(readings([0, 0], [10_000, 1_000]), 20_000)).toBe(0.05);
});

test('too short a time says nothing, and one that went back begins again', () => {
  expect(rateOf(readings([0, 0], [1_000, 50]), 1_000)).toBeUndefined();
  expect(rateOf(readings(), 1_000)).toBeUndefined();
  expect(rateOf(readings([0, 500], [5_000, 20]), 5_000)).toBeUndefined();
});
