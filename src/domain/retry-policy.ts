import type { Outcome } from './outcome.js';

export interface RetryPolicy {
  retriesMax: number;
  /** The delay before the first retry: 120 (docs/interface.md, "Success, failure, retries"). */
  baseSeconds: number;
  /** The delay never doubles beyond this: 3600, which none of the five retries of the schedule reaches. */
  capSeconds: number;
}

/**
 * Milliseconds from an attempt's end until the retry; null: there is none. The delay doubles from the base up to the
 * cap: 2, 4, 8, 16, 32 minutes (docs/interface.md, "Success, failure, retries"), and 60 from the sixth retry on. A
 * receiver's `Retry-After` can make it longer, never shorter.
 *
 * @param failures the failed attempts of this run, the latest included; a redelivery starts a new run
 */
export function retryInMsOf(policy: RetryPolicy, failures: number, outcome: Outcome): number | null {
  if (outcome.verdict !== 'FAILED' || failures > policy.retriesMax) {
    return null;
  }
  // No jitter: what keeps a herd from forming is the window of each webhook, not the dice.
  const scheduledMs = Math.min(policy.baseSeconds * 2 ** (failures - 1), policy.capSeconds) * 1000;
  return Math.max(scheduledMs, outcome.retryAfterMs ?? 0);
}
