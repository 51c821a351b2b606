import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LATENCY_BUCKETS, latencyBoundsMs, latencyBucket } from '../../src/domain/latency.js';

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
