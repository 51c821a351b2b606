import { BoundedMap } from '../collections/bounded-map.js';

const DIGEST_HOUR = 8;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Whether Intl knows the name, such as `Europe/Berlin`. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return !/^[+-]/.test(name);
  } catch {
    return false;
  }
}

/** The first 08:00 of a time zone after a moment, in ms. Where no clock shows 08:00 that day, the moment after it. */
export function digestAfter(ms: number, timeZone: string): number {
  const at = (dayMs: number) => momentOf(dayMs, timeZone);
  const today = Math.floor((ms + offsetMs(ms, timeZone)) / DAY_MS) * DAY_MS;
  return at(today) > ms ? at(today) : at(today + DAY_MS);
}

/** @param dayMs the day's midnight, as if the zone were UTC */
function momentOf(dayMs: number, timeZone: string): number {
  const wall = dayMs + DIGEST_HOUR * HOUR_MS;
  const guess = wall - offsetMs(wall, timeZone);
  return wall - offsetMs(guess, timeZone);
}

/** Making a format takes twenty times as long as using it. */
const formats = new BoundedMap<string, Intl.DateTimeFormat>(1_000);

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) {
    return known;
  }
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(timeZone, format);
  return format;
}

/** How far the clocks of a zone are ahead of UTC. */
function offsetMs(ms: number, timeZone: string): number {
  const parts = formatOf(timeZone).formatToParts(ms);
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value);
  const wall = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return wall - Math.floor(ms / 1_000) * 1_000;
}
