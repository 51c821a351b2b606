/** However long a receiver asks us to wait, we wait no longer (docs/interface.md, "Success, failure, retries"). */
export const RETRY_AFTER_MS_MAX = 60 * 60 * 1000;

const DELTA_SECONDS = /^[0-9]+$/;
/**
 * The form of a date that HTTP has, and two that it had and that are still to be accepted (RFC 9110 §5.6.7): RFC 850's,
 * with two digits of the year, and that of C's asctime().
 */
const HTTP_DATES = [
  /^(?<weekday>[A-Z][a-z]{2}), (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>[\d:]{8}) GMT$/,
  /^(?<weekday>Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) (?<time>[\d:]{8}) GMT$/,
  /^(?<weekday>[A-Z][a-z]{2}) (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>[\d:]{8}) (?<year>\d{4})$/,
];
/** Of a year with two digits the latest is meant that is no further ahead than this. */
const YEARS_AHEAD_MAX = 50;

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
  const date = parseDate(text, now);
  return date === null ? null : clamp(date.getTime() - now.getTime());
}

function parseDate(text: string, now: Date): Date | null {
  const { weekday, day, month, year, time } =
    HTTP_DATES.map((form) => form.exec(text)).find((found) => found !== null)?.groups ?? {};
  if (!weekday || !day || !month || !year || !time) {
    return null;
  }
  const ofYear = (fullYear: string | number) => `${day.replace(' ', '0')} ${month} ${fullYear} ${time} GMT`;
  const rest = ofYear(year.length === 2 ? fullYearOf(Number(year), ofYear, now) : year);
  const date = new Date(rest);
  // Date rolls 31 Feb over to March and ignores a wrong weekday; only an exact round trip is a real date.
  return date.toUTCString() === `${weekday.slice(0, 3)}, ${rest}` ? date : null;
}

function fullYearOf(digits: number, ofYear: (year: number) => string, now: Date): number {
  const latest = new Date(now);
  latest.setUTCFullYear(now.getUTCFullYear() + YEARS_AHEAD_MAX);
  const century = latest.getUTCFullYear() - (latest.getUTCFullYear() % 100);
  return Date.parse(ofYear(century + digits)) > latest.getTime() ? century + digits - 100 : century + digits;
}

function clamp(waitMs: number): number {
  return Math.min(Math.max(waitMs, 0), RETRY_AFTER_MS_MAX);
}
