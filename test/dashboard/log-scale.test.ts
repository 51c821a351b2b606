import { expect, test } from 'vitest';
import { logTicks } from '../../dashboard/parts/log-scale.js';

test.each([
  ['values close to each other get every step between round numbers', 30, 90, [20, 50, 100]],
  ['values far from each other get powers of ten', 3, 14_000, [1, 10, 100, 1_000, 10_000, 100_000]],
  ['a flat line lies within the axis, not on its end', 50, 50, [50, 100]],
  ['parts of a millisecond have an axis too', 0.3, 0.9, [0.2, 0.5, 1]],
])('on a logarithmic axis %s', (_, least, most, ticks) => {
  const got = logTicks(least, most);
  expect(got).toHaveLength(ticks.length);
  for (const [at, tick] of ticks.entries()) {
    expect(got[at]).toBeCloseTo(tick, 6);
  }
});
