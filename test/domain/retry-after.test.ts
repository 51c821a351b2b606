import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseRetryAfter, RETRY_AFTER_MS_MAX } from '../../src/domain/retry-after.js';
import { words } from '../support/refusals.js';

const now = new Date('2026-01-31T09:30:00Z');
const hour = 3_600_000;
const long = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' });

/** The three forms of a date that HTTP has had (RFC 9110 §5.6.7). */
const forms = fc.constantFrom(
  (date: Date) => date.toUTCString(),
  (date: Date) => {
    const [, day, month, year, time] = date.toUTCString().split(' ');
    return `${long.format(date)}, ${day}-${month}-${year?.slice(-2)} ${time} GMT`;
  },
  (date: Date) => {
    const [weekday, , month, year, time] = date.toUTCString().split(/,? /);
    return `${weekday} ${month} ${String(date.getUTCDate()).padStart(2)} ${time} ${year}`;
  },
);

describe('Retry-After', () => {
  test.each<[string, number]>([
    ['0', 0],
    ['1', 1000],
    ['120', 120_000],
    ['0120', 120_000],
    [' 120\t', 120_000],
    ['3599', 3_599_000],
    ['3600', hour],
    ['3601', hour],
    ['99999999999999999999', hour],
    ['9'.repeat(400), hour],
  ])('%j is a number of seconds', (value, waitMs) => {
    expect(parseRetryAfter(value, now)).toBe(waitMs);
  });

  test.each<[string, number]>([
    ['Sat, 31 Jan 2026 09:30:01 GMT', 1000],
    ['Sat, 31 Jan 2026 09:40:00 GMT', 600_000],
    ['Sat, 31 Jan 2026 10:30:00 GMT', hour],
    ['Sat, 31 Jan 2026 10:30:01 GMT', hour],
    ['Fri, 31 Dec 9999 23:59:59 GMT', hour],
    ['Sat, 31 Jan 2026 09:30:00 GMT', 0],
    ['Sat, 31 Jan 2026 09:29:59 GMT', 0],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['Saturday, 31-Jan-26 09:40:00 GMT', 600_000],
    ['Saturday, 31-Jan-26 09:29:59 GMT', 0],
    ['Sunday, 01-Feb-26 09:30:00 GMT', hour],
    ['Sat Jan 31 09:40:00 2026', 600_000],
    ['Sat Jan 31 09:29:59 2026', 0],
    ['Sun Feb  1 09:30:00 2026', hour],
    ['Sun Feb 01 09:30:00 2026', hour],
  ])('%j is a date', (value, waitMs) => {
    expect(parseRetryAfter(value, now)).toBe(waitMs);
  });

  test.each([
    ...words('-5 +5 -0 1.5 1e300 1e3 0x10 NaN inf Infinity 120s １２０ 2026-01-31T09:40:00Z'),
    ...['', ' ', '\u0000', 'Invalid Date', '120, 240', '1 2', 'Sat, 31 Jan 2026 09:40:00 UTC'],
    ...['Sat, 31 Jan 2026 09:40:00 +0000', 'Sat, 31 Jan 2026 09:40:00', 'sat, 31 jan 2026 09:40:00 gmt'],
    ...['Saturday, 31-Jan-26 09:40:00', 'Sat Jan 31 09:40:00 2026 GMT', 'Sat Jan 31 09:40:00 26'],
  ])('%j is no hint', (value) => {
    expect(parseRetryAfter(value, now)).toBeNull();
  });

  test.each<[string | string[] | undefined, number | null]>([
    [undefined, null],
    [[], null],
    [['60', '120'], 120_000],
    [['120', 'soon'], 120_000],
    [['Sat, 31 Jan 2026 09:40:00 GMT', '60'], 600_000],
    [['soon', '-1'], null],
  ])('counts with its longest usable value, if any: %j', (values, waitMs) => {
    expect(parseRetryAfter(values, now)).toBe(waitMs);
  });

  test('never throws and never leaves 0 to 60 minutes, whatever it says', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789+-.eE ') });
    const date = fc.date({ noInvalidDate: true }).map((at) => at.toUTCString());
    const inItsForm = fc.tuple(fc.date({ noInvalidDate: true }), forms).map(([at, form]) => form(at));
    const value = fc.oneof(fc.string({ unit: 'binary' }), digits, date, inItsForm, fc.double().map(String));
    fc.assert(
      fc.property(fc.oneof(value, fc.array(value)), fc.date({ noInvalidDate: true }), (header, at) => {
        const waitMs = parseRetryAfter(header, at);
        if (waitMs === null) {
          return;
        }
        expect(waitMs).toBeGreaterThanOrEqual(0);
        expect(waitMs).toBeLessThanOrEqual(RETRY_AFTER_MS_MAX);
      }),
      { numRuns: 5_000 },
    );
  });

  test('gives the distance to every date of the next hour', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3600 }), forms, (seconds, form) => {
        const date = new Date(now.getTime() + seconds * 1000);
        expect(parseRetryAfter(form(date), now)).toBe(seconds * 1000);
      }),
    );
  });
});
