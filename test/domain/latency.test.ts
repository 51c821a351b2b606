import { describe, expect, test } from 'vitest';
import { LATENCY_BUCKETS, latencyBoundsMs, latencyBucket, latencyPercentile } from '../../src/domain/stats/latency.js';
import { fc } from '../support/properties.js';

describe('the latency histogram', () => {
  test('has 24 buckets, whose bounds grow from 1 ms to beyond the longest attempt', () => {
    expect(latencyBoundsMs).toHaveLength(LATENCY_BUCKETS - 1);
    expect(latencyBoundsMs[0]).toBe(1);
    expect(latencyBoundsMs.at(-1)).toBeGreaterThan(15_000);
    expect(latencyBoundsMs.toSorted((a, b) => a - b)).toEqual(latencyBoundsMs);
  });

  test('puts each duration into the one bucket that spans it', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 200_000, noNaN: true }), (ms) => {
        const bucket = latencyBucket(ms);
        expect(ms).toBeGreaterThan(latencyBoundsMs[bucket - 1] ?? -1);
        expect(ms).toBeLessThanOrEqual(latencyBoundsMs[bucket] ?? Number.POSITIVE_INFINITY);
      }),
    );
  });
});

function histogramOf(durations: readonly number[]): number[] {
  const histogram = new Array<number>(LATENCY_BUCKETS).fill(0);
  for (const ms of durations) {
    histogram[latencyBucket(ms)]! += 1;
  }
  return histogram;
}

const durations = fc.array(fc.double({ min: 0, max: 49_000, noNaN: true }), { minLength: 1, maxLength: 200 });
const fraction = fc.double({ min: 0.01, max: 1, noNaN: true });

describe('a percentile', () => {
  test('of nothing is unknown', () => {
    expect(latencyPercentile(histogramOf([]), 0.5)).toBeNull();
    expect(latencyPercentile([], 0.5)).toBeNull();
  });

  test('lies in the bucket of the duration that has this rank', () => {
    fc.assert(
      fc.property(durations, fraction, (all, part) => {
        const exact = all.toSorted((a, b) => a - b)[Math.ceil(part * all.length) - 1]!;
        const bucket = latencyBucket(exact);
        const read = latencyPercentile(histogramOf(all), part)!;
        expect(read).toBeGreaterThan(latencyBoundsMs[bucket - 1] ?? 0);
        expect(read).toBeLessThanOrEqual((latencyBoundsMs[bucket] ?? 1.6 ** bucket) + 1e-9);
      }),
    );
  });

  test('does not fall when a greater part is asked for', () => {
    fc.assert(
      fc.property(durations, fraction, fraction, (all, a, b) => {
        const histogram = histogramOf(all);
        const [less, more] = [Math.min(a, b), Math.max(a, b)];
        expect(latencyPercentile(histogram, less)).toBeLessThanOrEqual(latencyPercentile(histogram, more)!);
      }),
    );
  });

  test('is the same for a histogram and for many times the same', () => {
    fc.assert(
      fc.property(durations, fraction, fc.integer({ min: 2, max: 1000 }), (all, part, times) => {
        const histogram = histogramOf(all);
        const many = histogram.map((count) => count * times);
        expect(latencyPercentile(many, part)).toBeCloseTo(latencyPercentile(histogram, part)!, 6);
      }),
    );
  });

  test('goes through its bucket in proportion', () => {
    const one = histogramOf([1.2, 1.3, 1.4, 1.5]); // all between 1 and 1.6
    expect(latencyPercentile(one, 0.25)).toBeCloseTo(1.15, 9);
    expect(latencyPercentile(one, 0.5)).toBeCloseTo(1.3, 9);
    expect(latencyPercentile(one, 1)).toBeCloseTo(1.6, 9);
  });

  test('of what is beyond the last bound reads as at most 50 s', () => {
    expect(latencyPercentile(histogramOf([120_000]), 1)).toBeCloseTo(1.6 ** 23, 3);
  });
});
