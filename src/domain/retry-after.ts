/** However long a receiver asks us to wait, we wait no longer (docs/interface.md, "Success, failure, retries"). */
export const RETRY_AFTER_MS_MAX = 60 * 60 * 1000;

const DELTA_SECONDS = /^[0-9]+$/;
/** The three forms of a date in HTTP (RFC 9110 §5.6.7), each with its weekday first; asctime's has no zone. */
const HTTP_DATE = /^[A-Z][a-z]{2,8},? [\w -]{6,11} \d{2}:\d{2}:\d{2} (GMT|\d{4})$/;

/**
 * How long a `Retry-After` header (RFC 9110 §10.2.3) asks us to wait, in milliseconds, at most `RETRY_AFTER_MS_MAX`;
 * null when there is none that can be used. Of several headers the longest usable one counts: waiting too long hurts a
 * struggling receiver less than the reverse. Never throws: the value is written by a stranger.
 */
export function parseRetryAfter(value: string | string[] | undefined, now: Date): number | null {
  if (value === undefined) {
    return null;
  }
  const waits = [value]
    .flat()
    .map((text) => parseOne(text, now))
    .filter((waitMs) => waitMs !== null);
  return waits.length === 0 ? null : waits.reduce((longest, waitMs) => Math.max(longest, waitMs));
}

function parseOne(value: string, now: Date): number | null {
  const text = value.trim();
  // Seconds come first, because Date.parse takes "120" for the year 120 and "-5" for a day in 2001.
  if (DELTA_SECONDS.test(text)) {
    return clamp(Number(text) * 1000);
  }
  const dateMs = HTTP_DATE.test(text) ? Date.parse(text.endsWith('GMT') ? text : `${text} GMT`) : Number.NaN;
  return Number.isNaN(dateMs) ? null : clamp(dateMs - now.getTime());
}

function clamp(waitMs: number): number {
  return Math.min(Math.max(waitMs, 0), RETRY_AFTER_MS_MAX);
}
