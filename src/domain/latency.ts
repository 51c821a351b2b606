/** How many buckets a latency histogram has. */
export const LATENCY_BUCKETS = 24;

/** Each bucket is this much wider than the one before: 24 of them reach from 1 ms to 50 s. */
const GROWTH = 1.6;

/** The upper bounds of the buckets in milliseconds; the last bucket has none and takes whatever is longer. */
export const latencyBoundsMs: readonly number[] = Array.from(
  { length: LATENCY_BUCKETS - 1 },
  (_, bucket) => GROWTH ** bucket,
);

/** The bucket of a duration in milliseconds, 0 to 23. A duration on a bound belongs to the bucket below it. */
export function latencyBucket(durationMs: number): number {
  const bucket = latencyBoundsMs.findIndex((bound) => durationMs <= bound);
  return bucket === -1 ? LATENCY_BUCKETS - 1 : bucket;
}
