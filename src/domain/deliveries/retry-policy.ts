import type { Outcome } from './outcome.js';
import { RETRY_AFTER_MS_MAX } from './retry-after.js';

/** The longest delay before a retry that a webhook or a tenant may choose. */
export const RETRY_SECONDS_MAX = 86_400;
/** The longest delay before a retry by MAX_RETRIES and RETRY_BASE_SECONDS. */
export const RETRY_CAP_SECONDS = 3_600;
/** No retry waits for longer after its attempt. */
export const RETRY_MS_MAX = Math.max(1_000 * Math.max(RETRY_SECONDS_MAX, RETRY_CAP_SECONDS), RETRY_AFTER_MS_MAX);

interface Schedule {
  retriesMax: number;
  /** The delay before the first retry: 120 (docs/interface.md, "Success, failure, retries"). */
  baseSeconds: number;
  /** The delay never doubles beyond this: 3600, which none of the five retries of the contract reaches. */
  capSeconds: number;
}

/**
 * The installation's delays before retries, in seconds. They double from the base up to the cap: 2, 4, 8, 16, 32
 * minutes (docs/interface.md, "Success, failure, retries"), and 60 from the sixth retry on.
 */
export const delaysOf = ({ retriesMax, baseSeconds, capSeconds }: Schedule): number[] =>
  Array.from({ length: retriesMax }, (_, doublings) => Math.min(baseSeconds * 2 ** doublings, capSeconds));

/**
 * Milliseconds from an attempt's end until the retry; null: there is none. A receiver's `Retry-After` can make the
 * delay longer, never shorter.
 *
 * @param delaysSeconds the delay before each retry: one attempt more than it has entries
 * @param failures the failed attempts of this run, the latest included; a redelivery starts a new run
 */
export function retryInMsOf(delaysSeconds: readonly number[], failures: number, outcome: Outcome): number | null {
  const delaySeconds = delaysSeconds[failures - 1];
  if (outcome.verdict !== 'FAILED' || delaySeconds === undefined) {
    return null;
  }
  // No jitter: what keeps a herd from forming is the window of each webhook, not the dice.
  return Math.max(delaySeconds * 1000, outcome.retryAfterMs ?? 0);
}
