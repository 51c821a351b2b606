import { describe, expect, test } from 'vitest';
import { judge, type SendResult } from '../../src/domain/deliveries/outcome.js';
import {
  afterAttempt,
  afterClosing,
  type EndpointWindow,
  kindOf,
  newWindow,
  permitEveryMs,
  permitsOf,
  SLOW_MS,
  silentAfterMs,
  type WindowSample,
} from '../../src/domain/pacing/endpoint-window.js';
import { fc } from '../support/properties.js';

const MAX = 64;
const answer = { kind: 'response', headers: {}, body: Buffer.alloc(0), bodyTruncated: false, durationMs: 1 } as const;
const response = (statusCode: number): SendResult => ({ ...answer, statusCode });
const good = (durationMs: number, startedAtMs = 0, wanted = MAX): WindowSample => ({
  startedAtMs,
  endedAtMs: startedAtMs + durationMs,
  kind: 'GOOD',
  wanted,
});
const strained = (startedAtMs: number, endedAtMs: number): WindowSample => ({
  ...good(endedAtMs - startedAtMs, startedAtMs),
  kind: 'STRAINED',
});
const after = (window: EndpointWindow, ...samples: WindowSample[]) =>
  samples.reduce((now, sample) => afterAttempt(now, sample, MAX), window);
/** A window of so many places whose endpoint answers in 5 ms. */
const wide = (limit: number): EndpointWindow => ({ ...newWindow(MAX, 0), limit, meanMs: 5, halvedAtMs: 0 });

/** Full rounds of answers, one behind the other. @returns the places after each */
function rounds(count: number, durationMs: number, of: (places: number) => number = (places) => places) {
  let window = newWindow(MAX, 0);
  return Array.from({ length: count }, (_, round) => {
    const places = permitsOf(window);
    for (let n = 0; n < places; n++) {
      window = afterAttempt(window, good(durationMs, round * durationMs, of(permitsOf(window))), MAX);
    }
    return permitsOf(window);
  });
}

describe('an endpoint’s window', () => {
  test('starts at 8, or at the most that is allowed', () => {
    expect(newWindow(MAX, 0).limit).toBe(8);
    expect(newWindow(3, 0).limit).toBe(3);
  });

  test('doubles with each full round that takes a quarter of a second, up to the most that is allowed', () => {
    expect(rounds(4, 250)).toEqual([16, 32, 64, 64]);
  });

  test('grows faster in rounds that are slow: there are fewer of them', () => {
    expect(rounds(3, 2_000)).toEqual([32, 64, 64]);
  });

  test('needs a quarter of a second to double where rounds are quick: a bucket may be empty at any moment', () => {
    const places = rounds(200, 5);
    expect(places[25]).toBeLessThanOrEqual(16);
    expect(places.at(-1)).toBe(64);
  });

  test('does not grow while less than half of it is used', () => {
    expect(rounds(50, 250, () => 3).at(-1)).toBe(8);
    expect(rounds(50, 250, () => 20).at(-1)).toBeLessThanOrEqual(41);
  });

  test('is halved by strain once a round, down to 1', () => {
    expect(after(wide(64), strained(10, 20), strained(11, 21), strained(19, 22)).limit).toBe(32);
    expect(after(wide(64), strained(10, 20), strained(20, 30)).limit).toBe(16);
    const failing = Array.from({ length: 20 }, (_, round) => strained(round * 10, round * 10 + 5));
    expect(after(wide(64), ...failing).limit).toBe(1);
  });

  test('stays between 1 and the most that is allowed, whatever happens', () => {
    const sample = fc.record({
      startedAtMs: fc.integer({ min: 0, max: 100_000 }),
      durationMs: fc.integer({ min: -10, max: 20_000 }),
      kind: fc.constantFrom('GOOD' as const, 'STRAINED' as const, 'OTHER' as const),
      wanted: fc.integer({ min: 1, max: 100 }),
      closedMs: fc.option(fc.integer({ min: 1, max: 3_600_000 })),
    });
    fc.assert(
      fc.property(fc.array(sample), fc.integer({ min: 1, max: 100 }), (samples, max) => {
        let window = newWindow(max, 0);
        for (const { startedAtMs, durationMs, kind, wanted, closedMs } of samples) {
          const endedAtMs = startedAtMs + durationMs;
          window = afterAttempt(window, { startedAtMs, endedAtMs, kind, wanted }, max);
          window = closedMs === null ? window : afterClosing(window, endedAtMs, closedMs);
          expect(permitsOf(window)).toBeGreaterThanOrEqual(1);
          expect(window.limit).toBeLessThanOrEqual(max);
          expect(permitEveryMs(window)).toBeGreaterThanOrEqual(0);
          expect(window.pace.everyMs).toBeGreaterThanOrEqual(0);
          expect(window.pace.everyMs).toBeLessThanOrEqual(10_000);
        }
      }),
    );
  });

  test('tells a slow endpoint after one answer of 10 s, and a recovered one after two dozen quick ones', () => {
    const slow = after(wide(64), good(10_000));
    expect(slow.meanMs).toBeGreaterThan(SLOW_MS);
    const recovered = after(slow, ...Array.from({ length: 24 }, () => good(5)));
    expect(recovered.meanMs).toBeLessThan(SLOW_MS);
  });

  test('knows the time of an answer by answers alone: a timeout says nothing of it', () => {
    expect(after(wide(64), strained(0, 15_000)).meanMs).toBe(5);
    expect(silentAfterMs(wide(64))).toBe(100);
    expect(silentAfterMs({ ...wide(64), meanMs: 600 })).toBe(1_800);
  });
});

describe('a pause that the endpoint has asked for', () => {
  const successes = (count: number, everyMs: number, fromMs = 0) =>
    Array.from({ length: count }, (_, n) => good(20, fromMs + n * everyMs, 1));

  test('is followed by one request at a time, at the pace of what it took before', () => {
    const window = afterClosing(after(newWindow(MAX, 0), ...successes(10, 0)), 30, 1_000);
    expect(window.limit).toBe(1);
    expect(window.pace.everyMs).toBe(103);
    expect(permitEveryMs(window)).toBe(103);
  });

  test('counts successes of requests that were in flight when it was asked for', () => {
    const window = afterClosing(after(newWindow(MAX, 0), ...successes(2, 0)), 30, 1_000);
    expect(window.pace.everyMs).toBe(515);
    expect(after(window, good(40, 0), good(40, 0)).pace.everyMs).toBe(257.5);
  });

  test('doubles the pace where nothing succeeded before it', () => {
    const once = afterClosing(newWindow(MAX, 0), 30, 1_000);
    expect(once.pace.everyMs).toBe(1_000);
    expect(afterClosing(once, 2_000, 1_000).pace.everyMs).toBe(2_000);
  });

  test('sets no pace when it is long: an hour of maintenance is not what the endpoint takes', () => {
    const window = afterClosing(after(newWindow(MAX, 0), ...successes(10, 0)), 30, 3_600_000);
    expect(window).toMatchObject({ limit: 1, pace: { everyMs: 0 } });
  });

  test('is forgotten with time: each success makes the pace a little shorter', () => {
    const paced = afterClosing(after(newWindow(MAX, 0), ...successes(10, 0)), 30, 1_000);
    const later = after(paced, ...successes(20, 103, 1_030));
    expect(later.pace.everyMs).toBeLessThan(paced.pace.everyMs);
    expect(later.pace.everyMs).toBeGreaterThan(paced.pace.everyMs / 2);
    expect(after(paced, ...successes(1_000, 103, 1_030)).pace.everyMs).toBe(0);
  });
});

describe('the kind of an answer', () => {
  test.each([
    [200, 'GOOD'],
    [299, 'GOOD'],
    [302, 'OTHER'],
    [400, 'OTHER'],
    [404, 'OTHER'],
    [429, 'STRAINED'],
    [499, 'OTHER'],
    [500, 'STRAINED'],
    [503, 'STRAINED'],
  ])('%i: %s', (status, kind) => {
    expect(kindOf(judge(response(status), new Date()), response(status))).toBe(kind);
  });

  test('no answer at all is strain, and 410 is none', () => {
    const failed = { verdict: 'FAILED', errorCode: 'TIMEOUT', retryAfterMs: null, closing: null } as const;
    expect(kindOf(failed, { kind: 'error', code: 'TIMEOUT', durationMs: 15_000 })).toBe('STRAINED');
    expect(kindOf({ verdict: 'GONE', errorCode: 'HTTP_410' }, response(410))).toBe('OTHER');
  });
});
