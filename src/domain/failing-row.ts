import { DISABLE_AFTER_FAILURES } from './health.js';
import type { Outcome } from './outcome.js';

/**
 * When the next attempt at an endpoint may begin that fails, or has fallen silent. One hiccup must not cost ten
 * attempts: the pauses grow, so that the tenth failure of a row comes no sooner than `rowMsMin` after the first.
 */

/** Failures that an endpoint may have without being disabled. */
export const SPARE_FAILURES = DISABLE_AFTER_FAILURES - 1;
/** Of these, those that an endpoint may be given while it is silent: the others are for when it fails for sure. */
const SILENT_IN_FLIGHT_MAX = 6;
/** The first pause, whatever the whole row's least duration. */
const FIRST_PAUSE_MS = 100;
/** The pauses together are this much longer than the least duration, since clocks and commits are not exact. */
const MARGIN = 1.05;

/**
 * Milliseconds from the beginning of a row of failures until the attempt after the nth may begin: 0.1, 0.4, 1.1, 1.9,
 * 3.1, 4.5, 6.2, 8.2 and 10.5 s where a row lasts 10 s at least.
 *
 * @param failures n; those in flight at a silent endpoint count too
 * @param rowMsMin DISABLE_AFTER_SECONDS_MIN; 0: no pauses
 */
export function nextLookMs(failures: number, rowMsMin: number): number {
  const steepness = Math.max(1, Math.log(rowMsMin / FIRST_PAUSE_MS) / Math.log(SPARE_FAILURES));
  return rowMsMin * MARGIN * (Math.min(failures, SPARE_FAILURES) / SPARE_FAILURES) ** steepness;
}

/** What is known of an endpoint that fails or is silent. */
interface Suspect {
  /** Failures in a row. */
  failures: number;
  inFlight: number;
  /** When the row of failures, or the silence, began. */
  sinceMs: number;
}

/**
 * When the next request may begin at an endpoint that fails or is silent. All that is in flight there may fail: so no
 * more is in flight than could fail without disabling the webhook, and at least one.
 *
 * @returns Infinity: not before one of those in flight has ended
 */
export function nextLookAtMs({ failures, inFlight, sinceMs }: Suspect, rowMsMin: number): number {
  const possible = failures + inFlight;
  const max = failures > 0 ? SPARE_FAILURES : SILENT_IN_FLIGHT_MAX;
  return inFlight > 0 && possible >= max
    ? Number.POSITIVE_INFINITY
    : sinceMs + nextLookMs(possible, rowMsMin);
}

/** A 429 that does not say for how long still means "not now". */
const CLOSE_MS_FIRST = 1_000;
const CLOSE_MS_MAX = 60_000;

/**
 * For how many milliseconds an outcome closes its endpoint: nothing is sent there. What the receiver asks for counts;
 * a 429 that names no time closes for 1 s, then 2 s, 4 s and so on up to a minute until something succeeds.
 *
 * @param failures failures in a row, this one included
 * @returns null: it stays open
 */
export function closingMs(outcome: Outcome, failures: number): number | null {
  if (outcome.verdict !== 'FAILED' || outcome.closing === null) {
    return null;
  }
  return outcome.closing === 'UNTIMED'
    ? Math.min(CLOSE_MS_MAX, CLOSE_MS_FIRST * 2 ** Math.max(0, failures - 1))
    : outcome.closing;
}
