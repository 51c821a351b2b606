import { DISABLE_AFTER_FAILURES, STREAK_SECONDS_MAX } from '../deliveries/health-limits.js';
import type { Outcome } from '../deliveries/outcome.js';
import { RETRY_AFTER_MS_MAX } from '../deliveries/retry-after.js';

/** The failures that an endpoint may have without being disabled. */
export const SPARE_FAILURES = DISABLE_AFTER_FAILURES - 1;
/** Requests in flight that a silent endpoint may have: the other failures are spared until it fails for sure. */
const SILENT_IN_FLIGHT_MAX = 6;
/**
 * So many failures cause no pause: an endpoint that fails now and then (one of its two servers is broken, it does not
 * know one type of event) would fall behind.
 */
export const FREE_FAILURES = 2;
const FIRST_PROBE_MS = 100;
/** The last probe comes this much later than the shortest streak, since clocks and commits are not exact. */
const MARGIN = 1.05;
/** No probe of an active webhook waits for longer. */
export const PROBE_MS_MAX = 1_000 * STREAK_SECONDS_MAX * MARGIN;

/**
 * Milliseconds from the beginning of a failure streak until the next probe. One hiccup must not cost ten attempts: the
 * pauses grow by the same factor, and the last probe comes when the streak may end. Where a streak lasts 10 s, they
 * come at 0.2, 0.4, 0.7, 1.4, 2.8, 5.4 and 10.5 s after three failures, and at 1.0 and 10.5 s after eight that were in
 * flight together. So the end of an outage is noticed before it has lasted about twice as long.
 *
 * @param failures those in flight at a silent endpoint count too
 * @param lastMs when the last failure ended, or the last request began, after the beginning of the streak
 * @param streakMsMin DISABLE_AFTER_SECONDS_MIN; 0: no pauses
 */
export function nextProbeMs(failures: number, lastMs: number, streakMsMin: number): number {
  if (failures <= FREE_FAILURES) {
    return 0;
  }
  const endMs = streakMsMin * MARGIN;
  const fromMs = Math.min(endMs, Math.max(FIRST_PROBE_MS, lastMs));
  const probesLeft = Math.max(0, SPARE_FAILURES - failures) + 1;
  return fromMs === 0 ? 0 : fromMs * (endMs / fromMs) ** (1 / probesLeft);
}

interface Suspect {
  failures: number;
  inFlight: number;
  /** When the streak, or the silence, began. */
  sinceMs: number;
  /** When the last failure ended, or the last request began. */
  lastMs: number;
}

/**
 * When the next request may begin. All that is in flight may fail: so no more is in flight than could fail without
 * disabling the webhook, and at least one.
 *
 * @returns Infinity: not before one of those in flight has ended
 */
export function nextProbeAtMs({ failures, inFlight, sinceMs, lastMs }: Suspect, streakMsMin: number): number {
  const possible = failures + inFlight;
  const max = failures > 0 ? SPARE_FAILURES : SILENT_IN_FLIGHT_MAX;
  return inFlight > 0 && possible >= max
    ? Number.POSITIVE_INFINITY
    : sinceMs + nextProbeMs(possible, lastMs - sinceMs, streakMsMin);
}

const CLOSE_MS_FIRST = 1_000;
const CLOSE_MS_MAX = 60_000;
/** No pause that an endpoint asks for is longer. */
export const PAUSE_MS_MAX = Math.max(CLOSE_MS_MAX, RETRY_AFTER_MS_MAX);

/**
 * Milliseconds for which an outcome closes its endpoint; null: it stays open. A 429 that names no time closes for 1 s,
 * then 2 s, 4 s and so on up to a minute until something succeeds.
 *
 * @param failures the streak, this one included
 */
export function closingMs(outcome: Outcome, failures: number): number | null {
  if (outcome.verdict !== 'FAILED' || outcome.closing === null) {
    return null;
  }
  return outcome.closing === 'UNTIMED'
    ? Math.min(CLOSE_MS_MAX, CLOSE_MS_FIRST * 2 ** Math.max(0, failures - 1))
    : outcome.closing;
}
