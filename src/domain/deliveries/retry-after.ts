import { DAY_MS, HOUR_MS } from '../text/durations.js';

/** However long a receiver asks us to wait, we wait no longer (docs/interface.md, "Success, failure, retries"). */
export const RETRY_AFTER_MS_MAX = HOUR_MS;

/** A longer text is none that a receiver writes on purpose. */
const TEXT_CHARS_MAX = 100;

/**
 * How long a `Retry-After` header (RFC 9110 §10.2.3) asks us to wait, in milliseconds, at most `RETRY_AFTER_MS_MAX`;
 * null when there is none that can be used. Receivers also write what the RFC has not, such as `120s` or an ISO date:
 * it is read as a person would read it. Of several values, also those that a proxy has joined, the longest usable one
 * counts: waiting too long hurts a struggling receiver less than the reverse. Never throws: the value is written by a
 * stranger.
 */
export function parseRetryAfter(value: string | string[] | undefined, now: Date): number | null {
  const waits = [value ?? []]
    .flat()
    .flatMap((text) => text.replaceAll(WEEKDAY_AND_COMMA, '').split(','))
    .map((text) => parseOne(text, now))
    .filter((waitMs) => waitMs !== null);
  return waits.length === 0 ? null : waits.reduce((longest, waitMs) => Math.max(longest, waitMs));
}

/** The only comma within a value. */
const WEEKDAY_AND_COMMA = /\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}, */gi;

function parseOne(value: string, now: Date): number | null {
  const text = value
    .replace(/;.*$/s, '')
    .trim()
    .replace(/^"(.*)"$/, '$1');
  // Seconds come first, because Date.parse takes "120" for the year 120 and "-5" for a day in 2001.
  if (/^\d+(?:\.\d*)?$/.test(text)) {
    return clamp(waitMsOf(Number(text), now));
  }
  if (text.length > TEXT_CHARS_MAX) {
    return null;
  }
  const dateMs = readDate(text);
  const waitMs = dateMs === null ? readDuration(text) : dateMs - now.getTime();
  return waitMs === null ? null : clamp(waitMs);
}

/** A number as seconds; one that lies within a year of now as Unix time is that time, in seconds or milliseconds. */
function waitMsOf(number: number, now: Date): number {
  const moment = [number * 1_000, number].find((ms) => Math.abs(ms - now.getTime()) < 365 * DAY_MS);
  return moment === undefined ? number * 1_000 : moment - now.getTime();
}

const ISO_DATE =
  /^(\d{4}-\d\d-\d\d)(?:[t ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?))? ?(?:z|utc|gmt|([+-]\d\d):?(\d\d))?(?: utc)?$/i;
/** A day, the name of a month, a year and a time, in any order: HTTP alone has three (RFC 9110 §5.6.7). */
const NAMED_DATE =
  /^(?=.*\d:\d\d)(?=.*\d{4}|\d\d?-[a-z]+-\d\d )[\w :+-]*\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/i;
const ZONE = /(?:z|utc?|gmt|[ecmp][sd]t|[+-]\d\d:?\d\d)$/i;

/** The Unix time in milliseconds. A date without a zone is in UTC. */
function readDate(text: string): number | null {
  const iso = ISO_DATE.exec(text);
  if (iso !== null) {
    const [, day, time = '00:00', hours = '+00', minutes = '00'] = iso;
    return orNull(Date.parse(`${day}T${time}${hours}:${minutes}`));
  }
  const date = text.replace(/ \([^)]*\)$/, '');
  return NAMED_DATE.test(date) ? orNull(Date.parse(ZONE.test(date) ? date : `${date} GMT`)) : null;
}

const orNull = (ms: number): number | null => (Number.isNaN(ms) ? null : ms);

const UNITS: readonly [form: RegExp, ms: number][] = [
  [/^(?:ms|msecs?|milliseconds?)$/i, 1],
  [/^s(?:ecs?|econds?)?$/i, 1_000],
  [/^m(?:ins?|inutes?)?$/i, 60_000],
  [/^h(?:rs?|ours?)?$/i, HOUR_MS],
  [/^d(?:ays?)?$/i, DAY_MS],
];

/** Numbers with their units: `120s`, `2 minutes`, `1m30s`. */
function readDuration(text: string): number | null {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?) ?([a-z]+) ?/gi)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) {
    return null;
  }
  const waits = parts.map(([, number, word]) => {
    const unit = UNITS.find(([form]) => form.test(word!));
    return unit === undefined ? Number.NaN : Number(number) * unit[1];
  });
  return orNull(waits.reduce((sum, ms) => sum + ms));
}

function clamp(waitMs: number): number {
  return Math.min(Math.max(Math.ceil(waitMs), 0), RETRY_AFTER_MS_MAX);
}
