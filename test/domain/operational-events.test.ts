import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  foldOperationalEvents,
  isOperational,
  OPERATIONAL_EVENT_TYPES,
  type OperationalEventsState,
  type OperationalEventsStep,
} from '../../src/domain/events/operational-events.js';
import { foldHealth } from '../../src/domain/health.js';

/** `f` failed, `s` succeeded, `g` was told 410; in capitals: the delivery of an operational event. */
const steps = (letters: string, generation = 3): OperationalEventsStep[] =>
  [...letters].map((letter) => ({
    generation,
    operational: letter !== letter.toLowerCase(),
    failuresAtStart: 1,
    isSameClosing: false,
    verdict: /s/i.test(letter) ? 'SUCCEEDED' : /g/i.test(letter) ? 'GONE' : 'FAILED',
  }));
const healthy: OperationalEventsState = {
  active: true,
  generation: 3,
  consecutiveFailures: 0,
  failingForMs: null,
  lastFailureAgoMs: null,
  ordinaryFailures: true,
  disabledRaised: false,
};
const ROW_MS_MIN = 0;
const after = (state: Partial<OperationalEventsState>, letters: string) =>
  foldOperationalEvents({ ...healthy, ...state }, steps(letters), ROW_MS_MIN);

describe('what outcomes give an owner to know', () => {
  test('a webhook that failures have disabled, at the tenth and not at the ninth', () => {
    expect(after({}, 'f'.repeat(9)).disabled).toBeNull();
    expect(after({}, 'f'.repeat(10)).disabled).toBe('FAILURES');
    expect(after({ consecutiveFailures: 9 }, 'f').disabled).toBe('FAILURES');
    expect(after({}, 'g').disabled).toBe('GONE');
  });

  test('not one that only deliveries of operational events have disabled', () => {
    expect(after({}, 'F'.repeat(10))).toMatchObject({ disabled: null, ordinaryFailures: false });
    expect(after({}, 'G').disabled).toBeNull();
    expect(after({ consecutiveFailures: 9, ordinaryFailures: false }, 'F').disabled).toBeNull();
  });

  test('one ordinary failure among the ten is enough, wherever it stands', () => {
    expect(after({}, `f${'F'.repeat(9)}`).disabled).toBe('FAILURES');
    expect(after({}, `${'F'.repeat(9)}f`).disabled).toBe('FAILURES');
    expect(after({ consecutiveFailures: 9, ordinaryFailures: true }, 'F').disabled).toBe('FAILURES');
    expect(after({ consecutiveFailures: 2, ordinaryFailures: true }, 'G').disabled).toBe('GONE');
  });

  test('but not one from before a success', () => {
    expect(after({}, `ffs${'F'.repeat(10)}`).disabled).toBeNull();
    expect(after({ consecutiveFailures: 5, ordinaryFailures: true }, `S${'F'.repeat(10)}`).disabled).toBeNull();
  });

  test('the first success after a disabling that was raised, and no other', () => {
    expect(after({ disabledRaised: true }, 's').recovered).toBe(true);
    expect(after({ disabledRaised: true }, 'fff').recovered).toBe(false);
    expect(after({ disabledRaised: false }, 's').recovered).toBe(false);
    expect(after({ disabledRaised: true }, `s${'f'.repeat(10)}`)).toMatchObject({
      recovered: true,
      disabled: 'FAILURES',
    });
    expect(after({ disabledRaised: true }, 'gs')).toMatchObject({ recovered: false, disabled: 'GONE' });
  });

  test('nothing of attempts from before the webhook was last switched, or of an inactive one', () => {
    const unchanged = { ordinaryFailures: false, disabled: null, recovered: false };
    const state = { ...healthy, ordinaryFailures: false, disabledRaised: true, consecutiveFailures: 9 };
    expect(foldOperationalEvents(state, steps('gfs', 2), ROW_MS_MIN)).toEqual(unchanged);
    expect(foldOperationalEvents({ ...state, active: false }, steps('gfs'), ROW_MS_MIN)).toEqual(unchanged);
  });

  test('is never more than what became of its health', () => {
    const letters = fc.string({ unit: fc.constantFrom('f', 'F', 's', 'S', 'g', 'f', 'F'), maxLength: 40 });
    fc.assert(
      fc.property(letters, fc.integer({ min: 0, max: 9 }), (text, consecutiveFailures) => {
        const state = { ...healthy, consecutiveFailures };
        const { disable } = foldHealth(state, steps(text), ROW_MS_MIN);
        const { disabled } = foldOperationalEvents(state, steps(text), ROW_MS_MIN);
        expect([null, disable]).toContain(disabled);
        if (text === text.toLowerCase()) {
          expect(disabled).toBe(disable);
        }
      }),
    );
  });

  test('successes change nothing where there was no failure and no disabling: they are recorded unread', () => {
    const state = fc.record({ active: fc.boolean(), ordinaryFailures: fc.boolean() });
    const letters = fc.string({ unit: fc.constantFrom('s', 'S'), maxLength: 10 });
    fc.assert(
      fc.property(state, letters, fc.constantFrom(2, 3), (flags, text, generation) => {
        const quiet = { ...healthy, ...flags };
        expect(foldHealth(quiet, steps(text, generation), ROW_MS_MIN)).toEqual({
          consecutiveFailures: 0,
          failingForMs: null,
          disable: null,
        });
        expect(foldOperationalEvents(quiet, steps(text, generation), ROW_MS_MIN)).toEqual({
          ordinaryFailures: quiet.ordinaryFailures,
          disabled: null,
          recovered: false,
        });
      }),
    );
  });
});

test.each(OPERATIONAL_EVENT_TYPES)('%s is operational; a test or a booking is not', (type) => {
  expect(isOperational(type)).toBe(true);
  expect(['webhook.test', 'booking.created'].some(isOperational)).toBe(false);
});
