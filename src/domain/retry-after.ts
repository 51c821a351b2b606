/** However long a receiver asks us to wait, we wait no longer (docs/interface.md, "Success, failure, retries"). */
export const RETRY_AFTER_MS_MAX = 60 * 60 * 1000;

const DELTA_SECONDS = /^[0-9]+$/;
const IMF_FIXDATE = /^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT$/;

/**
 * How long a `Retry-After` header (RFC 9110 §10.2.3) asks us to wait, in milliseconds, 0 to
 * `RETRY_AFTER_MS_MAX`; null when there is none that can be used. A date in the past is 0. Of several
 * headers the longest usable one counts: waiting too long hurts a struggling receiver less than the reverse.
 * Never throws: the value is written by a stranger.
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
  if (!IMF_FIXDATE.test(text)) {
    return null;
  }
  const date = new Date(text);
  // Date rolls 31 Feb over to March and ignores a wrong weekday; only an exact round trip is a real date.
  if (date.toUTCString() !== text) {
    return null;
  }
  return clamp(date.getTime() - now.getTime());
}

function clamp(waitMs: number): number {
  return Math.min(Math.max(waitMs, 0), RETRY_AFTER_MS_MAX);
}
