import { describe, expect, test } from 'vitest';
import { delaysOf, retryInMsOf } from '../../src/domain/deliveries/retry-policy.js';
import { fc } from '../support/properties.js';

const contract = { retriesMax: 5, baseSeconds: 120, capSeconds: 3600 };
const minute = 60_000;
const failed = (retryAfterMs: number | null = null) =>
  ({ verdict: 'FAILED', errorCode: 'HTTP_503', retryAfterMs, closing: null }) as const;
const retryIn = (failures: number, retryAfterMs: number | null = null, delays: number[] = delaysOf(contract)) =>
  retryInMsOf(delays, failures, failed(retryAfterMs));

describe('the retries of a delivery', () => {
  test('come 2, 4, 8, 16 and 32 minutes after a failure, and the sixth failure is the last', () => {
    const delays = [1, 2, 3, 4, 5, 6].map((failures) => retryIn(failures));
    expect(delays).toEqual([2 * minute, 4 * minute, 8 * minute, 16 * minute, 32 * minute, null]);
  });

  test('follow failures alone', () => {
    expect(retryInMsOf([120], 1, { verdict: 'SUCCEEDED' })).toBeNull();
    expect(retryInMsOf([120], 1, { verdict: 'GONE', errorCode: 'HTTP_410' })).toBeNull();
    expect(retryIn(1, null, delaysOf({ ...contract, retriesMax: 0 }))).toBeNull();
  });

  test.each([
    [5, 32 * minute],
    [6, 60 * minute],
    [7, 60 * minute],
    [2000, 60 * minute],
    [2001, null],
  ])('are at most 60 minutes apart, however many are configured: after %d failures', (failures, delayMs) => {
    expect(retryIn(failures, null, delaysOf({ ...contract, retriesMax: 2000 }))).toBe(delayMs);
  });

  test.each([
    [1, 2 * minute - 1, 2 * minute],
    [1, 2 * minute, 2 * minute],
    [1, 2 * minute + 1, 2 * minute + 1],
    [1, 0, 2 * minute],
    [6, 10 * minute, null],
  ])(
    'after %d failures and a Retry-After of %d ms come after the longer delay, if at all',
    (failures, hintMs, delayMs) => {
      expect(retryIn(failures, hintMs)).toBe(delayMs);
    },
  );

  const schedules = fc
    .tuple(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 1, max: 86_400 }), fc.nat({ max: 86_400 }))
    .map(([retriesMax, baseSeconds, extra]) => ({ retriesMax, baseSeconds, capSeconds: baseSeconds + extra }));

  test('come at growing distances between the base and the cap, whatever the settings', () => {
    fc.assert(
      fc.property(schedules, (schedule) => {
        const delays = delaysOf(schedule);
        expect(delays).toHaveLength(schedule.retriesMax);
        expect(delays).toEqual(delays.toSorted((a, b) => a - b));
        expect(delays[0]).toBe(schedule.baseSeconds);
        expect(delays.at(-1)).toBeLessThanOrEqual(schedule.capSeconds);
      }),
    );
  });

  const lists = fc.array(fc.integer({ min: 1, max: 86_400 }), { maxLength: 20 });
  const hints = fc.option(fc.nat({ max: 200_000_000 }));

  test('of any list: failure n is followed by its delay n, or by a longer Retry-After, and after the list by none', () => {
    fc.assert(
      fc.property(lists, fc.integer({ min: 1, max: 30 }), hints, (delays, failures, hintMs) => {
        const expected =
          failures > delays.length ? null : Math.max(delays[failures - 1]! * 1000, hintMs ?? Number.NEGATIVE_INFINITY);
        expect(retryIn(failures, hintMs, delays)).toBe(expected);
      }),
    );
  });

  test('after a change of the list go on at their number, and a shorter list ends them', () => {
    fc.assert(
      fc.property(lists, lists, fc.integer({ min: 1, max: 20 }), (before, after, changedAfter) => {
        let failures = 1;
        while (retryIn(failures, null, failures <= changedAfter ? before : after) !== null) {
          failures += 1;
        }
        const expected = before.length < changedAfter ? before.length : Math.max(changedAfter, after.length);
        expect(failures - 1).toBe(expected);
      }),
    );
  });
});
