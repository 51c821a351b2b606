import { describe, expect, test } from 'vitest';
import { formatTimestamp, parseTimestamp } from '../../src/domain/text/timestamp.js';
import { fc } from '../support/properties.js';
import { words } from '../support/refusals.js';

const fourDigitYears = fc.date({
  min: new Date('0000-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
});

describe('a timestamp', () => {
  test('is written with a numeric offset, in whole seconds', () => {
    expect(formatTimestamp(new Date('2026-01-31T09:30:00Z'))).toBe('2026-01-31T09:30:00+00:00');
    expect(formatTimestamp(new Date('2026-01-31T09:30:00.999Z'))).toBe('2026-01-31T09:30:00+00:00');
    expect(formatTimestamp(new Date('2026-01-31T11:30:00+02:00'))).toBe('2026-01-31T09:30:00+00:00');
  });

  test('cannot be written for an invalid date', () => {
    expect(() => formatTimestamp(new Date('soon'))).toThrow(RangeError);
  });

  test.each([
    ['2026-01-31T09:30:00+00:00', '2026-01-31T09:30:00.000Z'],
    ['2026-01-31T09:30:00Z', '2026-01-31T09:30:00.000Z'],
    ['2026-01-31T09:30:00-00:00', '2026-01-31T09:30:00.000Z'],
    ['2026-01-31T09:30:00+05:30', '2026-01-31T04:00:00.000Z'],
    ['2026-01-31T20:30:00-08:00', '2026-02-01T04:30:00.000Z'],
    ['2026-01-31T09:30:00.5Z', '2026-01-31T09:30:00.500Z'],
    ['2026-01-31T09:30:00.123456789Z', '2026-01-31T09:30:00.123Z'],
    ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
    ['0050-06-01T00:00:00Z', '0050-06-01T00:00:00.000Z'],
  ])('%s is read as %s', (text, iso) => {
    expect(parseTimestamp(text)?.toISOString()).toBe(iso);
  });

  test.each([
    ...words(`120 2026-01-31 2026-01-31T09:30Z 2026-01-31T09:30:00 2026-01-31t09:30:00z 2026-01-31T09:30:00.Z
      2026-01-31T09:30:00.1234567890Z +002026-01-31T09:30:00Z 20260131T093000Z`),
    ...words('2026-01-31T09:30:00+0000 2026-01-31T09:30:00+00 2026-01-31T09:30:00+24:00 2026-01-31T09:30:00+00:60'),
    ...words(`2026-02-29T09:30:00Z 2026-02-31T09:30:00Z 2026-13-01T09:30:00Z 2026-00-01T09:30:00Z 2026-01-00T09:30:00Z
      2026-01-31T24:00:00Z 2026-01-31T09:60:00Z 2026-01-31T09:30:60Z`),
    ...['', '2026-01-31 09:30:00Z', ' 2026-01-31T09:30:00Z', '2026-01-31T09:30:00Z\n'],
  ])('%j cannot be read', (text) => {
    expect(parseTimestamp(text)).toBeNull();
  });

  test('that was written is read back to the second', () => {
    fc.assert(
      fc.property(fourDigitYears, (date) => {
        const text = formatTimestamp(date);
        expect(text).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\+00:00$/);
        expect(parseTimestamp(text)?.getTime()).toBe(Math.floor(date.getTime() / 1000) * 1000);
      }),
    );
  });

  test('can be any text without an error', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'0123456789-+:.TZ ') }), (text) => {
        const date = parseTimestamp(text);
        expect(date === null || !Number.isNaN(date.getTime())).toBe(true);
      }),
    );
  });
});
