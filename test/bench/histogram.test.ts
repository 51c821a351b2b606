import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Histogram, median } from '../../bench/histogram.js';

const filled = (values: readonly number[]) => {
  const histogram = new Histogram();
  for (const value of values) {
    histogram.record(value);
  }
  return histogram;
};

describe('a histogram of microseconds', () => {
  test('is exact below 256', () => {
    const histogram = filled(Array.from({ length: 256 }, (_, value) => value));
    expect([1, 50, 99, 100].map((percent) => histogram.percentile(percent))).toEqual([2, 127, 253, 255]);
  });

  test('gives each percentile within 0.8 % of the sorted values', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 2 ** 31 - 1 }), { minLength: 1, maxLength: 200 }),
        fc.double({ min: 0.1, max: 100, noNaN: true }),
        (values, percent) => {
          const sorted = [...values].sort((a, b) => a - b);
          const exact = sorted[Math.max(1, Math.ceil((percent / 100) * sorted.length)) - 1]!;
          expect(Math.abs(filled(values).percentile(percent)! - exact)).toBeLessThanOrEqual(0.008 * exact);
        },
      ),
    );
  });

  test('is the same when it was sent in parts and put together', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(10_000_000)), fc.array(fc.nat(10_000_000)), (left, right) => {
        const parts = [filled(left).data(), filled(right).data()];
        const sent = JSON.parse(JSON.stringify(parts)) as typeof parts;
        expect(Histogram.from(...sent).data()).toEqual(filled([...left, ...right]).data());
      }),
    );
  });

  test('knows the maximum exactly, and never shows a percentile above it', () => {
    expect(filled([10, 1_000_001]).summary()).toMatchObject({ count: 2, p99Ms: 1000.001, maxMs: 1000.001 });
  });

  test('takes a time before zero for zero, and one beyond the range for its end', () => {
    expect(filled([-30]).summary()?.maxMs).toBe(0);
    expect(filled([2 ** 40]).summary()?.maxMs).toBe((2 ** 31 - 1) / 1000);
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
