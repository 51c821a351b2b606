import { expect, test } from 'vitest';
import { welchT } from '../../bench/welch.js';

test("Welch's t counts the distance of means in standard errors", () => {
  expect(welchT([1, 2, 3], [1, 2, 3])).toBe(0);
  // Means 3 and 6, variances 1 and 4, 3 samples each: -3 / √(1/3 + 4/3).
  expect(welchT([2, 3, 4], [4, 6, 8])).toBeCloseTo(-3 / Math.sqrt(5 / 3), 12);
});
