import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  DISABLE_AFTER_FAILURES,
  foldHealth,
  type HealthState,
  type HealthStep,
  type HealthVerdict,
} from '../../src/domain/health.js';

const steps = (verdicts: string, generation = 3): HealthStep[] =>
  [...verdicts].map((letter) => ({
    generation,
    verdict: letter === 's' ? 'SUCCEEDED' : letter === 'g' ? 'GONE' : 'FAILED',
  }));
const active = (consecutiveFailures: number): HealthState => ({
  active: true,
  generation: 3,
  consecutiveFailures,
});

describe('the health of a webhook', () => {
  test('counts failures in a row', () => {
    expect(foldHealth(active(0), steps('fff'))).toEqual({ consecutiveFailures: 3, disable: null });
    expect(foldHealth(active(4), [])).toEqual({ consecutiveFailures: 4, disable: null });
  });

  test('starts again from 0 at a success', () => {
    expect(foldHealth(active(9), steps('s'))).toEqual({ consecutiveFailures: 0, disable: null });
    expect(foldHealth(active(9), steps('sff'))).toEqual({ consecutiveFailures: 2, disable: null });
  });

  test('disables at the tenth failure in a row, not at the ninth', () => {
    expect(DISABLE_AFTER_FAILURES).toBe(10);
    expect(foldHealth(active(0), steps('f'.repeat(9)))).toEqual({ consecutiveFailures: 9, disable: null });
    expect(foldHealth(active(0), steps('f'.repeat(10)))).toEqual({
      consecutiveFailures: 10,
      disable: 'FAILURES',
    });
    expect(foldHealth(active(9), steps('f'))).toEqual({ consecutiveFailures: 10, disable: 'FAILURES' });
  });

  test('goes by the order in which the outcomes finished', () => {
    expect(foldHealth(active(9), steps('sf')).disable).toBeNull();
    expect(foldHealth(active(9), steps('fs')).disable).toBe('FAILURES');
  });

  test('disables at a 410 at once, and counts it', () => {
    expect(foldHealth(active(2), steps('g'))).toEqual({ consecutiveFailures: 3, disable: 'GONE' });
    expect(foldHealth(active(9), steps('g'))).toEqual({ consecutiveFailures: 10, disable: 'GONE' });
  });

  test('is not changed by what finishes after it was disabled', () => {
    expect(foldHealth(active(9), steps('fffs'))).toEqual({ consecutiveFailures: 10, disable: 'FAILURES' });
    expect(foldHealth(active(0), steps('gsf'))).toEqual({ consecutiveFailures: 1, disable: 'GONE' });
    expect(foldHealth(active(9), steps('fg')).disable).toBe('FAILURES');
  });

  test('is not changed by an attempt that began before the webhook was last switched', () => {
    for (const generation of [2, 4]) {
      expect(foldHealth(active(9), steps('f', generation))).toEqual({
        consecutiveFailures: 9,
        disable: null,
      });
      expect(foldHealth(active(9), steps('s', generation)).consecutiveFailures).toBe(9);
      expect(foldHealth(active(0), steps('g', generation)).disable).toBeNull();
    }
    const mixed = [...steps('fffff', 2), ...steps('f')];
    expect(foldHealth(active(8), mixed)).toEqual({ consecutiveFailures: 9, disable: null });
  });

  test('is not changed while the webhook is inactive', () => {
    const paused = { ...active(9), active: false };
    expect(foldHealth(paused, steps('f'))).toEqual({ consecutiveFailures: 9, disable: null });
    expect(foldHealth(paused, steps('g')).disable).toBeNull();
  });

  test('equals a webhook that takes the outcomes one at a time', () => {
    const step = fc.record<HealthStep>({
      generation: fc.constantFrom(2, 3, 3, 3, 3, 3, 4),
      verdict: fc.oneof(
        { weight: 12, arbitrary: fc.constant('FAILED' as const) },
        { weight: 2, arbitrary: fc.constant('SUCCEEDED' as const) },
        { weight: 1, arbitrary: fc.constant('GONE' as const) },
      ),
    });
    const state = fc.record<HealthState>({
      active: fc.constantFrom(true, true, true, false),
      generation: fc.constant(3),
      consecutiveFailures: fc.nat({ max: 9 }),
    });
    fc.assert(
      fc.property(state, fc.array(step, { maxLength: 60 }), (start, outcomes) => {
        expect(foldHealth(start, outcomes)).toEqual(oneAtATime(start, outcomes));
      }),
      { numRuns: 2000 },
    );
  });

  test('is the same however the outcomes are grouped into writes', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('s', 'f', 'f', 'f', 'f')), fc.nat({ max: 60 }), (letters, cut) => {
        const all = steps(letters.join(''));
        const first = foldHealth(active(0), all.slice(0, cut));
        const next: HealthState = {
          active: first.disable === null,
          generation: first.disable === null ? 3 : 4,
          consecutiveFailures: first.consecutiveFailures,
        };
        const second = foldHealth(next, all.slice(cut));
        expect(foldHealth(active(0), all)).toEqual({
          consecutiveFailures: second.consecutiveFailures,
          disable: first.disable ?? second.disable,
        });
      }),
    );
  });
});

/** The same rules as a row that is updated once for each outcome, generation and all. */
function oneAtATime(start: HealthState, outcomes: readonly HealthStep[]): HealthVerdict {
  const row = { ...start, disable: null as HealthVerdict['disable'] };
  for (const outcome of outcomes) {
    if (!row.active || outcome.generation !== row.generation) {
      continue;
    }
    if (outcome.verdict === 'SUCCEEDED') {
      row.consecutiveFailures = 0;
    } else {
      row.consecutiveFailures++;
    }
    if (outcome.verdict === 'GONE') {
      row.disable = 'GONE';
    } else if (row.consecutiveFailures === 10) {
      row.disable = 'FAILURES';
    }
    if (row.disable !== null) {
      row.active = false;
      row.generation++;
    }
  }
  return { consecutiveFailures: row.consecutiveFailures, disable: row.disable };
}
