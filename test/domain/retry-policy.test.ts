import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type RetryPolicy, retryInMsOf } from '../../src/domain/retry-policy.js';

const contract: RetryPolicy = { retriesMax: 5, baseSeconds: 120, capSeconds: 3600 };
const minute = 60_000;
const failed = (retryAfterMs: number | null = null) =>
  ({ verdict: 'FAILED', errorCode: 'HTTP_503', retryAfterMs, closing: null }) as const;
const retryIn = (failures: number, retryAfterMs: number | null = null, policy = contract) =>
  retryInMsOf(policy, failures, failed(retryAfterMs));

describe('the retries of a delivery', () => {
  test('come 2, 4, 8, 16 and 32 minutes after a failure, and the sixth failure is the last', () => {
    const delays = [1, 2, 3, 4, 5, 6].map((failures) => retryIn(failures));
    expect(delays).toEqual([2 * minute, 4 * minute, 8 * minute, 16 * minute, 32 * minute, null]);
  });

  test('follow failures alone', () => {
    expect(retryInMsOf(contract, 1, { verdict: 'SUCCEEDED' })).toBeNull();
    expect(retryInMsOf(contract, 1, { verdict: 'GONE', errorCode: 'HTTP_410' })).toBeNull();
    expect(retryIn(1, null, { ...contract, retriesMax: 0 })).toBeNull();
  });

  test.each([
    [5, 32 * minute],
    [6, 60 * minute],
    [7, 60 * minute],
    [2000, 60 * minute],
    [2001, null],
  ])('are at most 60 minutes apart, however many are configured: after %d failures', (failures, delayMs) => {
    expect(retryIn(failures, null, { ...contract, retriesMax: 2000 })).toBe(delayMs);
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

  const policies = fc
    .tuple(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 1, max: 86_400 }), fc.nat({ max: 86_400 }))
    .map(([retriesMax, baseSeconds, extra]) => ({ retriesMax, baseSeconds, capSeconds: baseSeconds + extra }));

  test('come at growing distances between the base and the cap, whatever the policy', () => {
    fc.assert(
      fc.property(policies, fc.nat(), (policy, at) => {
        const failures = 1 + (at % policy.retriesMax);
        const delay = retryIn(failures, null, policy)!;
        expect(delay).toBeGreaterThanOrEqual(policy.baseSeconds * 1000);
        expect(delay).toBeLessThanOrEqual(policy.capSeconds * 1000);
        const next = retryIn(failures + 1, null, policy);
        expect(next === null).toBe(failures === policy.retriesMax);
        expect(next ?? delay).toBeGreaterThanOrEqual(delay);
      }),
    );
  });

  test('are never earlier than the schedule because of a Retry-After', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.nat({ max: 60 * minute }), (failures, hintMs) => {
        expect(retryIn(failures, hintMs)).toBe(Math.max(retryIn(failures)!, hintMs));
      }),
    );
  });
});
