import { describe, expect, test } from 'vitest';
import { ContentPace } from '../../src/domain/pacing/content-pace.js';
import { draws, fc } from '../support/properties.js';

/** Contents that are made one after the other, as soon as the pace allows it. @returns when each began */
function made(pace: ContentPace, untilMs: number, tookMs: number): number[] {
  const times: number[] = [];
  for (let now = 0; now < untilMs; now++) {
    while (!pace.isOver(now)) {
      times.push(now);
      pace.begin().end(now, tookMs);
    }
  }
  return times;
}

describe('the pace of contents', () => {
  test('is 20 ms at once, and then 20 of 100 ms', () => {
    const pace = new ContentPace();
    const use = (now: number, tookMs: number) => pace.begin().end(now, tookMs);
    use(0, 20);
    expect(pace.isOver(0)).toBe(false);
    use(0, 2);
    expect([pace.isOver(0), pace.isOver(9.9), pace.isOver(10)]).toEqual([true, true, false]);
    // What was not used is there for 100 ms.
    use(10_000, 19);
    use(10_000, 2);
    expect([pace.isOver(10_000), pace.isOver(10_005)]).toEqual([true, false]);
  });

  test('gives a tenant a fifth of the time in the long run, however long its contents take', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.1, max: 50, noNaN: true }), (tookMs) => {
        const sum = made(new ContentPace(), 10_000, tookMs).length * tookMs;
        expect(sum).toBeGreaterThanOrEqual(2_000 - 0.2 * tookMs);
        expect(sum).toBeLessThanOrEqual(2_000 + 20 + tookMs);
      }),
      draws(3),
    );
  });

  test('counts those that have begun as long as the last ones took', () => {
    const pace = new ContentPace();
    for (let count = 0; count < 40; count++) {
      pace.begin().end(0, 4);
    }
    const now = 10_000;
    expect([pace.opensAtMs(now), Math.round(pace.everyMs), pace.countUntil(now)]).toEqual([now, 20, 6]);
    const begun = Array.from({ length: 6 }, () => pace.begin());
    expect(pace.opensAtMs(now)).toBeCloseTo(now + 20, -1);
    expect([pace.countUntil(now), pace.isOver(now)]).toEqual([0, false]);
    begun[0]!.end(now);
    begun[0]!.end(now);
    expect([pace.opensAtMs(now), pace.countUntil(now)]).toEqual([now, 1]);
  });

  test('lets nobody wait for half a second after a pause of the process', () => {
    const pace = new ContentPace();
    pace.begin().end(60_000, 60_000);
    expect(pace.opensAtMs(60_000)).toBe(60_500);
  });
});
