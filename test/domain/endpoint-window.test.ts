import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  afterAttempt,
  type EndpointWindow,
  newWindow,
  placeEveryMs,
  SLOW_MS,
  strainOf,
  WINDOW_AT_FIRST,
  type WindowSample,
} from '../../src/domain/endpoint-window.js';
import type { SendResult } from '../../src/domain/outcome.js';

const MAX = 64;
const response = (statusCode: number): SendResult => ({
  kind: 'response',
  statusCode,
  headers: {},
  body: Buffer.alloc(0),
  bodyTruncated: false,
  durationMs: 1,
});
const good = (durationMs: number, startedAtMs = 0): WindowSample => ({
  startedAtMs,
  endedAtMs: startedAtMs + durationMs,
  kind: 'GOOD',
});
const strained = (startedAtMs: number, endedAtMs: number): WindowSample => ({
  startedAtMs,
  endedAtMs,
  kind: 'STRAINED',
});
const after = (window: EndpointWindow, ...samples: WindowSample[]) =>
  samples.reduce((now, sample) => afterAttempt(now, sample, MAX), window);

describe('an endpoint’s window', () => {
  test('starts at 8, or at the most that is allowed', () => {
    expect(newWindow(MAX).limit).toBe(8);
    expect(newWindow(3).limit).toBe(3);
  });

  test('doubles with a round of fast successes, up to the most that is allowed', () => {
    const rounds = (count: number) => after(newWindow(MAX), ...Array.from({ length: count }, () => good(5)));
    expect(rounds(WINDOW_AT_FIRST).limit).toBe(16);
    expect(rounds(56).limit).toBe(64);
    expect(rounds(500).limit).toBe(64);
  });

  test.each([
    [SLOW_MS, 9],
    [SLOW_MS + 1, 8],
  ])('after a success that took %i ms it is %i', (durationMs, limit) => {
    expect(after(newWindow(MAX), good(durationMs)).limit).toBe(limit);
  });

  test('goes back to 8 when successes become slow', () => {
    expect(after({ limit: 64, meanMs: 5, halvedAtMs: 0 }, good(10_000)).limit).toBe(8);
    expect(after({ limit: 2, meanMs: 5, halvedAtMs: 0 }, good(10_000)).limit).toBe(2);
  });

  test('is halved by strain once a round, down to 1', () => {
    const wide: EndpointWindow = { limit: 64, meanMs: 5, halvedAtMs: 0 };
    expect(after(wide, strained(10, 20), strained(11, 21), strained(19, 22)).limit).toBe(32);
    expect(after(wide, strained(10, 20), strained(20, 30)).limit).toBe(16);
    const rounds = Array.from({ length: 20 }, (_, round) => strained(round * 10, round * 10 + 5));
    expect(after(wide, ...rounds).limit).toBe(1);
  });

  test('stays between 1 and the most that is allowed, whatever happens', () => {
    const sample = fc.record({
      startedAtMs: fc.integer({ min: 0, max: 100_000 }),
      durationMs: fc.integer({ min: -10, max: 20_000 }),
      kind: fc.constantFrom('GOOD' as const, 'STRAINED' as const, 'OTHER' as const),
    });
    fc.assert(
      fc.property(fc.array(sample), fc.integer({ min: 1, max: 100 }), (samples, max) => {
        let window = newWindow(max);
        for (const { startedAtMs, durationMs, kind } of samples) {
          window = afterAttempt(window, { startedAtMs, endedAtMs: startedAtMs + durationMs, kind }, max);
          expect(window.limit).toBeGreaterThanOrEqual(1);
          expect(window.limit).toBeLessThanOrEqual(max);
          expect(placeEveryMs(window)).toBeGreaterThanOrEqual(0);
        }
      }),
    );
  });

  test('tells a slow endpoint after one answer of 10 s, and a recovered one after two dozen quick ones', () => {
    const slow = after({ limit: 64, meanMs: 5, halvedAtMs: 0 }, good(10_000));
    expect(slow.meanMs).toBeGreaterThan(SLOW_MS);
    const recovered = after(slow, ...Array.from({ length: 24 }, () => good(5)));
    expect(recovered.meanMs).toBeLessThan(SLOW_MS);
  });
});

describe('what strains an endpoint', () => {
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
    const outcome =
      status < 300
        ? ({ verdict: 'SUCCEEDED' } as const)
        : ({ verdict: 'FAILED', errorCode: `HTTP_${status}`, retryAfterMs: null, closeMs: null } as const);
    expect(strainOf(outcome, response(status))).toBe(kind);
  });

  test('no answer at all is strain, and 410 is none', () => {
    const failed = { verdict: 'FAILED', errorCode: 'TIMEOUT', retryAfterMs: null, closeMs: null } as const;
    expect(strainOf(failed, { kind: 'error', code: 'TIMEOUT', durationMs: 15_000 })).toBe('STRAINED');
    expect(strainOf({ verdict: 'GONE', errorCode: 'HTTP_410' }, response(410))).toBe('OTHER');
  });
});
