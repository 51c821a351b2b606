import { describe, expect, test } from 'vitest';
import { Histogram, median } from '../../bench/histogram.js';
import { fc } from '../support/properties.js';

const filled = (values: readonly number[]) => {
  const histogram = new Histogram();
  for (const value of values) {
    histogram.record(value);
  }
  return histogram;
};

describe('a histogram of microseconds', () => {
  test('is exact below 2,000', () => {
    const histogram = filled(Array.from({ length: 2_000 }, (_, value) => value));
    expect([1, 50, 99, 100].map((percent) => histogram.percentile(percent))).toEqual([19, 999, 1979, 1999]);
  });

  test('gives each percentile within 0.1 % of the sorted values', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 2 ** 31 - 1 }), { minLength: 1, maxLength: 200 }),
        fc.double({ min: 0.1, max: 100, noNaN: true }),
        (values, percent) => {
          const sorted = [...values].sort((a, b) => a - b);
          const exact = sorted[Math.max(1, Math.ceil((percent / 100) * sorted.length)) - 1]!;
          expect(Math.abs(filled(values).percentile(percent)! - exact)).toBeLessThanOrEqual(0.001 * exact);
        },
      ),
    );
  });

  test('is the same when it was sent in parts and put together', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(10_000_000)), fc.array(fc.nat(10_000_000)), (left, right) => {
        const parts = [filled(left).data(), filled(right).data()];
        const sent = JSON.parse(JSON.stringify(parts)) as typeof parts;
        expect(Histogram.from(...sent).summary()).toEqual(filled([...left, ...right]).summary());
      }),
    );
  });

  test('shows no percentile above the maximum', () => {
    const { p99Ms, maxMs } = filled([10, 1_000_001]).summary()!;
    expect([p99Ms, Math.round(maxMs)]).toEqual([maxMs, 1000]);
  });

  test('takes a time before zero for zero, and one beyond the range for its end', () => {
    expect(filled([-30]).summary()?.maxMs).toBe(0);
    expect(filled([2 ** 40]).summary()?.maxMs).toBeCloseTo((2 ** 31 - 1) / 1000, 0);
  });

  test('has no percentiles when nothing was recorded', () => {
    expect([new Histogram().percentile(50), new Histogram().summary()]).toEqual([null, null]);
  });
});

describe('the median', () => {
  test.each([
    { values: [3, 1, 2], middle: 2 },
    { values: [4, 1, 2, 3], middle: 2.5 },
    { values: [10, 9], middle: 9.5 },
    { values: [7], middle: 7 },
  ])('of $values is $middle', ({ values, middle }) => {
    expect(median(values)).toBe(middle);
  });

  test('of nothing is null', () => {
    expect(median([])).toBeNull();
  });
});
