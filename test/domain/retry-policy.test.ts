import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type RetryPolicy, retryDelayMs } from '../../src/domain/retry-policy.js';

const contract: RetryPolicy = { retriesMax: 5, baseSeconds: 120, capSeconds: 3600 };
const minute = 60_000;

describe('the retries of a delivery', () => {
  test('come 2, 4, 8, 16 and 32 minutes after a failure, and the sixth failure is the last', () => {
    const delays = [1, 2, 3, 4, 5, 6].map((failures) => retryDelayMs(contract, failures, null));
    expect(delays).toEqual([2 * minute, 4 * minute, 8 * minute, 16 * minute, 32 * minute, 'EXHAUSTED']);
  });

  test('never come more than 60 minutes apart when more of them are configured', () => {
    const many = { ...contract, retriesMax: 2000 };
    expect(retryDelayMs(many, 5, null)).toBe(32 * minute);
    expect(retryDelayMs(many, 6, null)).toBe(60 * minute);
    expect(retryDelayMs(many, 7, null)).toBe(60 * minute);
    expect(retryDelayMs(many, 2000, null)).toBe(60 * minute);
    expect(retryDelayMs(many, 2001, null)).toBe('EXHAUSTED');
  });

  test('do not exist when none are configured', () => {
    expect(retryDelayMs({ ...contract, retriesMax: 0 }, 1, null)).toBe('EXHAUSTED');
  });

  test('are put off by a Retry-After that is longer than the schedule', () => {
    expect(retryDelayMs(contract, 1, 2 * minute - 1)).toBe(2 * minute);
    expect(retryDelayMs(contract, 1, 2 * minute)).toBe(2 * minute);
    expect(retryDelayMs(contract, 1, 2 * minute + 1)).toBe(2 * minute + 1);
    expect(retryDelayMs(contract, 1, 0)).toBe(2 * minute);
  });

  test('are not granted by a Retry-After once they are used up', () => {
    expect(retryDelayMs(contract, 6, 10 * minute)).toBe('EXHAUSTED');
  });

  test.each([0, -1, 1.5, Number.NaN])('cannot follow %d failures', (failures) => {
    expect(() => retryDelayMs(contract, failures, null)).toThrow(RangeError);
  });

  const policy = fc
    .tuple(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 1, max: 86_400 }), fc.nat({ max: 86_400 }))
    .map(([retriesMax, baseSeconds, extra]) => ({
      retriesMax,
      baseSeconds,
      capSeconds: baseSeconds + extra,
    }));

  test('come at growing distances between the base and the cap, whatever the policy', () => {
    fc.assert(
      fc.property(policy, fc.nat(), (any, at) => {
        const failures = 1 + (at % any.retriesMax);
        const delay = retryDelayMs(any, failures, null);
        expect(delay).toBeGreaterThanOrEqual(any.baseSeconds * 1000);
        expect(delay).toBeLessThanOrEqual(any.capSeconds * 1000);
        const next = retryDelayMs(any, failures + 1, null);
        if (failures === any.retriesMax) {
          expect(next).toBe('EXHAUSTED');
        } else {
          expect(next).toBeGreaterThanOrEqual(delay as number);
        }
      }),
    );
  });

  test('are never earlier than the schedule because of a Retry-After', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.nat({ max: 60 * minute }), (failures, hintMs) => {
        const scheduled = retryDelayMs(contract, failures, null) as number;
        expect(retryDelayMs(contract, failures, hintMs)).toBe(Math.max(scheduled, hintMs));
      }),
    );
  });
});
