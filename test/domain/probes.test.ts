import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../src/domain/deliveries/outcome.js';
import { closingMs, nextProbeAtMs, nextProbeMs } from '../../src/domain/pacing/probes.js';
import { fc } from '../support/properties.js';

const ROW_MS = 10_000;

/** When the looks come after so many failures at once, each of which fails at once. */
function looks(failures: number, streakMsMin: number): number[] {
  const times: number[] = [];
  for (let count = failures; count <= 9; count++) {
    times.push(nextProbeMs(count, times.at(-1) ?? 0, streakMsMin));
  }
  return times;
}

describe('the pauses of a row of failures', () => {
  test('grow, and the tenth failure comes no sooner than the row may end, and no later than twice that', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1_000, max: 3_600_000 }),
        fc.integer({ min: 3, max: 9 }),
        (streakMsMin, failures) => {
          const times = looks(failures, streakMsMin);
          for (const [n, atMs] of times.slice(1).entries()) {
            expect(atMs).toBeGreaterThan(times[n]!);
          }
          expect(times.at(-1)).toBeGreaterThanOrEqual(streakMsMin);
          expect(times.at(-1)).toBeLessThanOrEqual(2 * streakMsMin);
        },
      ),
    );
  });

  test('each take the same times as long as the one before, also after several that failed together', () => {
    expect(looks(3, ROW_MS).map(Math.round)).toEqual([194, 378, 735, 1_429, 2_778, 5_401, 10_500]);
    expect(looks(8, ROW_MS).map(Math.round)).toEqual([1_025, 10_500]);
    expect(looks(9, ROW_MS)).toEqual([10_500]);
  });

  test('do not begin with the first two failures: an endpoint may fail now and then', () => {
    expect([1, 2].map((failures) => nextProbeMs(failures, 0, ROW_MS))).toEqual([0, 0]);
  });

  test('are none where a row may be of any duration', () => {
    expect(looks(1, 0)).toEqual(new Array(9).fill(0));
  });
});

describe('the next request', () => {
  const suspect = { failures: 0, inFlight: 0, sinceMs: 5_000, lastMs: 5_000 };

  test('is never one that could disable beside another one in flight', () => {
    fc.assert(
      fc.property(fc.nat({ max: 20 }), fc.nat({ max: 64 }), (failures, inFlight) => {
        const atMs = nextProbeAtMs({ failures, inFlight, sinceMs: 0, lastMs: 0 }, ROW_MS);
        if (inFlight > 0 && failures + inFlight + 1 > 9) {
          expect(atMs).toBe(Number.POSITIVE_INFINITY);
        } else if (inFlight === 0) {
          expect(atMs).toBeLessThan(Number.POSITIVE_INFINITY);
        }
      }),
    );
  });

  test('counts those in flight as if they had failed', () => {
    const four = nextProbeAtMs({ ...suspect, failures: 4 }, ROW_MS);
    expect(nextProbeAtMs({ ...suspect, failures: 2, inFlight: 2 }, ROW_MS)).toBe(four);
    expect(four).toBe(5_000 + nextProbeMs(4, 0, ROW_MS));
  });

  test('leaves a silent endpoint some failures to spare, and begins at one with nothing in flight', () => {
    expect(nextProbeAtMs({ ...suspect, inFlight: 6 }, ROW_MS)).toBe(Number.POSITIVE_INFINITY);
    expect(nextProbeAtMs({ ...suspect, inFlight: 5 }, ROW_MS)).toBeLessThan(Number.POSITIVE_INFINITY);
    expect(nextProbeAtMs({ ...suspect, failures: 9 }, ROW_MS)).toBe(5_000 + 10_500);
  });
});

describe('a closing', () => {
  const refusal = { verdict: 'FAILED', errorCode: 'HTTP_429', retryAfterMs: null } as const;
  const failed = (closing: number | 'UNTIMED' | null): Outcome => ({ ...refusal, closing });

  test('lasts as long as the receiver asks', () => {
    expect(closingMs(failed(7_000), 5)).toBe(7_000);
  });

  test('without a time lasts a second, and twice as long with each further one, up to a minute', () => {
    expect([1, 2, 3, 6, 7, 9].map((failures) => closingMs(failed('UNTIMED'), failures))).toEqual([
      1_000, 2_000, 4_000, 32_000, 60_000, 60_000,
    ]);
  });

  test('is none after a failure that asks for nothing, a success or a 410', () => {
    expect(closingMs(failed(null), 3)).toBeNull();
    expect(closingMs({ verdict: 'SUCCEEDED' }, 0)).toBeNull();
    expect(closingMs({ verdict: 'GONE', errorCode: 'HTTP_410' }, 1)).toBeNull();
  });
});
