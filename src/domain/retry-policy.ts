import type { Outcome } from './outcome.js';

export interface RetryPolicy {
  /** How many retries follow the first attempt; 0 means none. */
  retriesMax: number;
  /** The delay before the first retry: 120 (docs/interface.md, "Success, failure, retries"). */
  baseSeconds: number;
  /** The delay never doubles beyond this: 3600, which none of the five retries of the schedule reaches. */
  capSeconds: number;
}

/**
 * How long after its latest failure a delivery is tried again, in milliseconds, or 'EXHAUSTED' when it has had all its
 * retries. The delay doubles from the base up to the cap: 2, 4, 8, 16, 32 minutes (docs/interface.md, "Success,
 * failure, retries"), and 60 from the sixth retry on. A receiver's `Retry-After`, as `parseRetryAfter` has it, can make
 * it longer, never shorter.
 *
 * @param failures the failed attempts of this run, the latest included; a redelivery starts a new run
 * @throws RangeError unless `failures` is a positive integer
 */
export function retryDelayMs(policy: RetryPolicy, failures: number, retryAfterMs: number | null): number | 'EXHAUSTED' {
  if (!Number.isSafeInteger(failures) || failures < 1) {
    throw new RangeError(`A retry follows at least one failure, not ${failures}`);
  }
  if (failures > policy.retriesMax) {
    return 'EXHAUSTED';
  }
  // No jitter: what keeps a herd from forming is the window of each webhook, not the dice.
  const scheduledMs = Math.min(policy.baseSeconds * 2 ** (failures - 1), policy.capSeconds) * 1000;
  return Math.max(scheduledMs, retryAfterMs ?? 0);
}

/** @returns milliseconds from an attempt's end until the next one; null when this was the last */
export function retryInMsOf(policy: RetryPolicy, failures: number, outcome: Outcome): number | null {
  if (outcome.verdict !== 'FAILED') {
    return null;
  }
  const delayMs = retryDelayMs(policy, failures, outcome.retryAfterMs);
  return delayMs === 'EXHAUSTED' ? null : delayMs;
}
