import { describe, expect, test } from 'vitest';
import { dateToId, idRange, idToDate } from '../../src/domain/ids/delivery-id.js';
import { fc } from '../support/properties.js';

describe('a time-ordered id', () => {
  test('holds the milliseconds since 2025 above 12 bits of sequence (computed elsewhere)', () => {
    expect(dateToId(new Date('2026-01-31T09:30:00Z'))).toBe(139928371200000);
    expect(idToDate(139928371200000).toISOString()).toBe('2026-01-31T09:30:00.000Z');
    expect(idToDate(139928371204095).toISOString()).toBe('2026-01-31T09:30:00.000Z');
    expect(idToDate(139928371204096).toISOString()).toBe('2026-01-31T09:30:00.001Z');
  });

  test('reaches from the start of 2025 to 2094', () => {
    expect(idToDate(0).toISOString()).toBe('2025-01-01T00:00:00.000Z');
    expect(idToDate(Number.MAX_SAFE_INTEGER).toISOString()).toBe('2094-09-07T15:47:35.551Z');
  });

  test('gives back the date that it was made from, with every sequence number', () => {
    const ms = fc.integer({ min: 0, max: 2 ** 41 - 1 });
    fc.assert(
      fc.property(ms, fc.integer({ min: 0, max: 4095 }), (sinceEpochMs, sequence) => {
        const date = new Date(Date.UTC(2025, 0, 1) + sinceEpochMs);
        const id = dateToId(date) + sequence;
        expect(Number.isSafeInteger(id)).toBe(true);
        expect(idToDate(id)).toEqual(date);
      }),
    );
  });

  test('is what 64-bit arithmetic makes of it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), (id) => {
        expect(idToDate(id).getTime() - Date.UTC(2025, 0, 1)).toBe(Number(BigInt(id) >> 12n));
      }),
    );
  });

  test('of a date before 2025 or after 2094 is the lowest or the highest one', () => {
    expect(dateToId(new Date('2024-12-31T23:59:59.999Z'))).toBe(0);
    expect(dateToId(new Date('1970-01-01T00:00:00Z'))).toBe(0);
    expect(dateToId(new Date('2094-09-07T15:47:35.552Z'))).toBe(Number.MAX_SAFE_INTEGER);
    expect(dateToId(new Date('9999-12-31T23:59:59Z'))).toBe(Number.MAX_SAFE_INTEGER);
  });
});

test('ids in any order reach from the least to the greatest of them', () => {
  expect(idRange([3, 1, 2])).toEqual([1, 3]);
  expect(idRange([7])).toEqual([7, 7]);
});
