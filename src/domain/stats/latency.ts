export const LATENCY_BUCKETS = 24;

/** Each bucket is this much wider than the one before: 24 of them reach from 1 ms to 50 s. */
const GROWTH = 1.6;

/** The upper bounds of the buckets in milliseconds; the last bucket has none and takes all longer durations. */
export const latencyBoundsMs: readonly number[] = Array.from(
  { length: LATENCY_BUCKETS - 1 },
  (_, bucket) => GROWTH ** bucket,
);

/** The bucket of a duration in milliseconds, 0 to 23. A duration on a bound belongs to the bucket below it. */
export function latencyBucket(durationMs: number): number {
  const bucket = latencyBoundsMs.findIndex((bound) => durationMs <= bound);
  return bucket === -1 ? LATENCY_BUCKETS - 1 : bucket;
}

/**
 * The duration in milliseconds that this part of the attempts does not exceed: in its bucket, between the bounds in
 * proportion, so within 1.6 times of the truth. More than 50 s reads as 50 s.
 *
 * @param fraction 0.95 for the 95th percentile
 * @returns null for an empty histogram
 */
export function latencyPercentile(histogram: readonly number[], fraction: number): number | null {
  const rank = fraction * histogram.reduce((total, count) => total + count, 0);
  let below = 0;
  for (const [bucket, count] of histogram.entries()) {
    if (count > 0 && below + count >= rank) {
      const lower = latencyBoundsMs[bucket - 1] ?? 0;
      const upper = GROWTH ** bucket;
      return lower + ((upper - lower) * (rank - below)) / count;
    }
    below += count;
  }
  return null;
}
