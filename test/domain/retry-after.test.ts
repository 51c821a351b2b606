import { describe, expect, test } from 'vitest';
import { parseRetryAfter, RETRY_AFTER_MS_MAX } from '../../src/domain/deliveries/retry-after.js';
import { fc } from '../support/properties.js';
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

  test.each<[string, number]>([
    ['1.5', 1_500],
    ['120.', 120_000],
    ['0.0004', 1],
    ['"120"', 120_000],
    ['120;w=60', 120_000],
    ['120s', 120_000],
    ['120 s', 120_000],
    ['120 Seconds', 120_000],
    ['30 sec', 30_000],
    ['1500ms', 1_500],
    ['2 minutes', 120_000],
    ['2m', 120_000],
    ['1 min', 60_000],
    ['1m30s', 90_000],
    ['1h0m0s', hour],
    ['2m0.5s', 120_500],
    ['1 hour', hour],
    ['1 day', hour],
    ['99999999999999999999 days', hour],
  ])('%j is a duration, though the RFC has no such form', (value, waitMs) => {
    expect(parseRetryAfter(value, now)).toBe(waitMs);
  });

  test.each([
    ...['2026-01-31T09:40:00Z', '2026-01-31T09:40:00.000Z', '2026-01-31T09:40:00', '2026-01-31T09:40Z'],
    ...['2026-01-31T10:40:00+01:00', '2026-01-31T04:40:00-0500', '2026-01-31t09:40:00z', '2026-01-31 09:40:00'],
    ...['2026-01-31 09:40:00 UTC', '2026-01-31 09:40:00 +0000', '2026-01-31 09:40:00 +0000 UTC'],
    ...['Sat, 31 Jan 2026 09:40:00 UTC', 'Sat, 31 Jan 2026 09:40:00 +0000', 'Sat, 31 Jan 2026 09:40:00'],
    ...['Sat, 31 Jan 2026 10:40:00 +0100', 'Sat, 31 Jan 2026 04:40:00 EST', 'sat, 31 jan 2026 09:40:00 gmt'],
    ...['31 Jan 2026 09:40:00 GMT', '31 January 2026 09:40 GMT', 'Sat 31 Jan 2026 09:40:00 GMT'],
    ...['Saturday, 31-Jan-26 09:40:00', 'Sat Jan 31 09:40:00 2026 GMT', 'Sat Jan 31 2026 09:40:00 GMT+0000'],
    ...['Sat Jan 31 2026 10:40:00 GMT+0100 (Central European Standard Time)', '"2026-01-31T09:40:00Z"'],
    ...['1769852400', '1769852400000', '1769852400.0'],
  ])('%j is a time, though the RFC has no such form', (value) => {
    expect(parseRetryAfter(value, now)).toBe(600_000);
  });

  test.each<[string, number]>([
    ['2026-01-31T09:29:59Z', 0],
    ['2026-01-31', 0],
    ['2026-02-01', hour],
    ['9999-12-31T23:59:59Z', hour],
    ['1769851799', 0],
    ['1738315799', hour], // a number of seconds: as a time it is more than a year ago
  ])('%j is bounded as the others are', (value, waitMs) => {
    expect(parseRetryAfter(value, now)).toBe(waitMs);
  });

  test.each<[string, number]>([
    ['120, 120', 120_000],
    ['120,240', 240_000],
    ['120, soon', 120_000],
    ['60, Sat, 31 Jan 2026 09:40:00 GMT', 600_000],
    ['Sat, 31 Jan 2026 09:31:00 GMT, Saturday, 31-Jan-26 09:40:00 GMT', 600_000],
    ['2026-01-31T09:40:00Z, 2m', 600_000],
  ])('%j was joined by a proxy: the longest counts', (value, waitMs) => {
    expect(parseRetryAfter(value, now)).toBe(waitMs);
  });

  test.each([
    ...words('-5 +5 -0 1e300 1e3 0x10 NaN inf Infinity １２０ s m 5x 5s5 1.2.3 09:40:00 2026-01-31T 31-01-2026'),
    ...['', ' ', ',', '""', '\u0000', 'Invalid Date', '1 2', 'Sat Jan 31 09:40:00 26', '2 lightyears', 'in 2026'],
    ...['2026-13-45T09:40:00Z', '2026-01-31T25:00:00Z', 'Jan 31', 'Sat, 31 Jan 2026', 'Sat, 31 Jan 2026 09:40:00 NOPE'],
    ...[`${'1'.repeat(100)}x`, '1s '.repeat(100), 'retry in 2 minutes'],
  ])('%j is not a hint', (value) => {
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
    const near = fc.string({
      unit: fc.constantFrom(...'0123456789.,:;+-TZsmhd "', ...['Jan ', 'GMT', 'Sat, ', 'min']),
    });
    const value = fc.oneof(fc.string({ unit: 'binary' }), digits, near, date, inItsForm, fc.double().map(String));
    fc.assert(
      fc.property(fc.oneof(value, fc.array(value)), fc.date({ noInvalidDate: true }), (header, at) => {
        const waitMs = parseRetryAfter(header, at);
        if (waitMs === null) {
          return;
        }
        expect(Number.isInteger(waitMs)).toBe(true);
        expect(waitMs).toBeGreaterThanOrEqual(0);
        expect(waitMs).toBeLessThanOrEqual(RETRY_AFTER_MS_MAX);
      }),
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
