import { describe, expect, test } from 'vitest';
import {
  foldHealth,
  type HealthState,
  type HealthStep,
  type HealthVerdict,
} from '../../src/domain/deliveries/health.js';
import { DISABLE_AFTER_FAILURES } from '../../src/domain/deliveries/health-limits.js';
import { fc } from '../support/properties.js';

/** Streaks that are there already have begun at 0. */
const streak = { beganMs: 0, cutCounted: false };
/** Each attempt begins after the one before it has ended. */
const timesOf = (index: number) => ({ startedMs: 10 * index + 1, endedMs: 10 * index + 9 });

/** `f` failed, `s` succeeded, `g` was answered 410; in capitals: the delivery of an operational event. */
const steps = (verdicts: string, generation = 3): HealthStep[] =>
  [...verdicts].map((letter, index) => ({
    generation,
    verdict: /s/i.test(letter) ? 'SUCCEEDED' : /g/i.test(letter) ? 'GONE' : 'FAILED',
    ...timesOf(index),
    isUnanswered: false,
    isSameClosing: false,
    isOperational: letter !== letter.toLowerCase(),
  }));
const active = (consecutiveFailures: number): HealthState => ({
  active: true,
  generation: 3,
  consecutiveFailures,
  streak: consecutiveFailures > 0 ? streak : null,
  failingForMs: consecutiveFailures > 0 ? 60_000 : null,
  lastFailureAgoMs: consecutiveFailures > 0 ? 1_000 : null,
  ordinaryFailures: true,
  disabledRaised: false,
});

/** Where rows of failures may be of any duration. */
const fold = (state: HealthState, outcomes: readonly HealthStep[]) => {
  const { consecutiveFailures, disable } = foldHealth(state, outcomes, 0);
  return { consecutiveFailures, disable };
};

describe('the health of a webhook', () => {
  test.each<[string, number, string, number, HealthVerdict['disable']]>([
    ['counts a streak of failures', 0, 'fff', 3, null],
    ['counts a streak of failures', 4, '', 4, null],
    ['starts again from 0 at a success', 9, 's', 0, null],
    ['starts again from 0 at a success', 9, 'sff', 2, null],
    ['disables at the tenth failure, not at the ninth', 0, 'fffffffff', 9, null],
    ['disables at the tenth failure, not at the ninth', 0, 'ffffffffff', 10, 'FAILURES'],
    ['disables at the tenth failure, not at the ninth', 9, 'f', 10, 'FAILURES'],
    ['goes by the order in which the outcomes finished', 9, 'sf', 1, null],
    ['goes by the order in which the outcomes finished', 9, 'fs', 10, 'FAILURES'],
    ['disables at a 410 at once, and counts it', 2, 'g', 3, 'GONE'],
    ['disables at a 410 at once, and counts it', 9, 'g', 10, 'GONE'],
    ['is not changed by outcomes after the one that disables', 9, 'fffs', 10, 'FAILURES'],
    ['is not changed by outcomes after the one that disables', 0, 'gsf', 1, 'GONE'],
    ['is not changed by outcomes after the one that disables', 9, 'fg', 10, 'FAILURES'],
  ])('%s: %d failures, then "%s"', (_, before, outcomes, consecutiveFailures, disable) => {
    expect(DISABLE_AFTER_FAILURES).toBe(10);
    expect(fold(active(before), steps(outcomes))).toEqual({ consecutiveFailures, disable });
  });

  test('is not changed by an attempt that began before the webhook was last switched', () => {
    for (const generation of [2, 4]) {
      expect(fold(active(9), steps('f', generation))).toEqual({ consecutiveFailures: 9, disable: null });
      expect(fold(active(9), steps('s', generation)).consecutiveFailures).toBe(9);
      expect(fold(active(0), steps('g', generation)).disable).toBeNull();
    }
    const mixed = [...steps('fffff', 2), ...steps('f')];
    expect(fold(active(8), mixed)).toEqual({ consecutiveFailures: 9, disable: null });
  });

  test('is not changed while the webhook is inactive', () => {
    const paused = { ...active(9), active: false };
    expect(fold(paused, steps('f'))).toEqual({ consecutiveFailures: 9, disable: null });
    expect(fold(paused, steps('g')).disable).toBeNull();
  });

  test('equals a webhook that takes the outcomes one at a time', () => {
    const step = fc.record<HealthStep>({
      generation: fc.constantFrom(2, 3, 3, 3, 3, 3, 4),
      verdict: fc.oneof(
        { weight: 12, arbitrary: fc.constant('FAILED' as const) },
        { weight: 2, arbitrary: fc.constant('SUCCEEDED' as const) },
        { weight: 1, arbitrary: fc.constant('GONE' as const) },
      ),
      startedMs: fc.constant(0),
      endedMs: fc.constant(0),
      isUnanswered: fc.constant(false),
      isSameClosing: fc.constant(false),
      isOperational: fc.constant(false),
    });
    const state = fc.record<HealthState>({
      active: fc.constantFrom(true, true, true, false),
      generation: fc.constant(3),
      consecutiveFailures: fc.nat({ max: 9 }),
      streak: fc.constant(streak),
      failingForMs: fc.constant(null),
      lastFailureAgoMs: fc.constant(null),
      ordinaryFailures: fc.constant(true),
      disabledRaised: fc.constant(false),
    });
    fc.assert(
      fc.property(state, fc.array(step, { maxLength: 60 }), (start, unordered) => {
        const outcomes = unordered.map((each, index) => ({ ...each, ...timesOf(index) }));
        expect(fold(start, outcomes)).toEqual(oneAtATime(start, outcomes));
      }),
    );
  });

  test('is the same however the outcomes are grouped into writes', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('s', 'f', 'f', 'f', 'f')), fc.nat({ max: 60 }), (letters, cut) => {
        const all = steps(letters.join(''));
        const first = fold(active(0), all.slice(0, cut));
        const next = {
          ...active(first.consecutiveFailures),
          active: first.disable === null,
          generation: first.disable === null ? 3 : 4,
        };
        const second = fold(next, all.slice(cut));
        expect(fold(active(0), all)).toEqual({
          consecutiveFailures: second.consecutiveFailures,
          disable: first.disable ?? second.disable,
        });
      }),
    );
  });
});

/** The same rules as a row that is updated once for each outcome, generation and all. */
function oneAtATime(start: HealthState, outcomes: readonly HealthStep[]): ReturnType<typeof fold> {
  const row = { ...start, disable: null as HealthVerdict['disable'] };
  for (const outcome of outcomes) {
    if (!row.active || outcome.generation !== row.generation) {
      continue;
    }
    row.consecutiveFailures = outcome.verdict === 'SUCCEEDED' ? 0 : row.consecutiveFailures + 1;
    if (outcome.verdict === 'GONE' || row.consecutiveFailures === 10) {
      row.disable = outcome.verdict === 'GONE' ? 'GONE' : 'FAILURES';
      row.active = false;
      row.generation++;
    }
  }
  return { consecutiveFailures: row.consecutiveFailures, disable: row.disable };
}

describe('a row of failures', () => {
  const ROW_MS = 10_000;
  const HOUR_MS = 3_600_000;
  const failing = (consecutiveFailures: number, failingForMs: number, lastFailureAgoMs = 1_000) => ({
    ...active(consecutiveFailures),
    failingForMs,
    lastFailureAgoMs,
  });
  const failures = (count: number, change: Partial<HealthStep> = {}): HealthStep[] =>
    steps('f'.repeat(count)).map((step) => ({ ...step, ...change }));
  const again = failures(17, { startedMs: -1, isSameClosing: true });

  test.each<[string, Partial<HealthVerdict>, HealthState, HealthStep[]]>([
    ['has lasted long enough', { disable: 'FAILURES', consecutiveFailures: 10 }, failing(9, ROW_MS), failures(1)],
    ['ends a moment before', { disable: null, consecutiveFailures: 9 }, failing(9, ROW_MS - 1), failures(2)],
    ['comes after a quiet time', { disable: null, failingForMs: 0 }, failing(1, HOUR_MS, HOUR_MS), failures(30)],
    ['has one an hour', { disable: null, consecutiveFailures: 9 }, failing(8, 0, HOUR_MS), failures(1)],
    ['has one an hour', { disable: 'FAILURES', consecutiveFailures: 10 }, failing(9, 0, HOUR_MS), failures(1)],
    ['is a 410', { disable: 'GONE', consecutiveFailures: 1 }, active(0), steps('g')],
    ['has said before what closes the endpoint', { consecutiveFailures: 1 }, active(0), [...failures(1), ...again]],
    ['has said before what closes the endpoint', { disable: null }, failing(9, ROW_MS), again],
    ['begins with its first failure', { failingForMs: 0 }, active(0), steps('f')],
    ['goes on', { failingForMs: 4_000 }, failing(3, 4_000), steps('ff')],
    ['ends with a success', { failingForMs: null }, failing(3, 4_000), steps('fs')],
    ['begins after a success', { failingForMs: 0 }, failing(3, 4_000), steps('sf')],
  ])('that %s: %j', (_, verdict, state, outcomes) => {
    expect(foldHealth(state, outcomes, ROW_MS)).toMatchObject(verdict);
  });

  test('does not disable by requests from before it: the next one decides', () => {
    const verdict = foldHealth(active(0), failures(40, { startedMs: 0 }), 0);
    expect(verdict).toMatchObject({ consecutiveFailures: 9, failingForMs: 0, disable: null });
    expect(foldHealth(failing(9, 1), failures(1), 0).disable).toBe('FAILURES');
  });
});

describe('requests that one restart of the receiver ends', () => {
  /** In the order in which they ended. */
  const failuresAtTimes = fc
    .array(fc.record({ startedMs: fc.nat(200), tookMs: fc.nat(100), isUnanswered: fc.boolean() }), { maxLength: 12 })
    .map((all) =>
      all
        .map(({ startedMs, tookMs, isUnanswered }) => ({ startedMs, endedMs: startedMs + tookMs, isUnanswered }))
        .sort((a, b) => a.endedMs - b.endedMs)
        .map((times) => ({ ...steps('f')[0]!, ...times })),
    );
  const count = (outcomes: readonly HealthStep[], state = active(0)) => foldHealth(state, outcomes, 0);

  test('count once together, and all other failures count each', () => {
    fc.assert(
      fc.property(failuresAtTimes, (outcomes) => {
        const [first] = outcomes;
        const isCut = (one: HealthStep) => one.isUnanswered && (one === first || one.startedMs < first!.endedMs);
        const cut = outcomes.filter(isCut).length;
        const expected = outcomes.length - cut + Math.min(1, cut);
        expect(Math.min(9, count(outcomes).consecutiveFailures)).toBe(Math.min(9, expected));
      }),
    );
  });

  test('count the same however they are grouped into writes', () => {
    fc.assert(
      fc.property(failuresAtTimes, fc.nat({ max: 12 }), (outcomes, cut) => {
        const { consecutiveFailures, streak: known, disable } = count(outcomes.slice(0, cut));
        const next = { ...active(consecutiveFailures), streak: known, active: disable === null };
        const second = count(outcomes.slice(cut), next);
        expect(second.consecutiveFailures).toBe(count(outcomes).consecutiveFailures);
      }),
    );
  });

  test('do not include an attempt that began after a failure which was recorded late', () => {
    const at = (startedMs: number, endedMs: number) => ({ ...steps('f')[0]!, isUnanswered: true, startedMs, endedMs });
    const [first, second, after] = [at(0, 10), at(0, 30), at(20, 40)];
    expect(count([second, first, after]).consecutiveFailures).toBe(2);
    expect(count([first, second, after]).consecutiveFailures).toBe(2);
  });

  test('count again after a success', () => {
    const cut = { ...steps('f')[0]!, isUnanswered: true };
    const success = { ...steps('s')[0]!, startedMs: 10, endedMs: 20 };
    expect(count([cut, cut, cut]).consecutiveFailures).toBe(1);
    expect(count([cut, cut, success, { ...cut, endedMs: 30 }, { ...cut, endedMs: 31 }]).consecutiveFailures).toBe(1);
  });

  test('do not keep ten later attempts in a row from disabling, without an answer or with one', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 9, maxLength: 9 }), (unanswered) => {
        const cut = { ...steps('f')[0]!, isUnanswered: true };
        const later = unanswered.map((isUnanswered, index) => ({ ...cut, isUnanswered, ...timesOf(index + 1) }));
        expect(count([cut, cut, cut, ...later.slice(1)])).toMatchObject({ consecutiveFailures: 9, disable: null });
        expect(count([cut, cut, cut, ...later])).toMatchObject({ consecutiveFailures: 10, disable: 'FAILURES' });
      }),
    );
  });
});

describe('operational events', () => {
  const after = (change: Partial<HealthState>, outcomes: string, generation = 3) =>
    foldHealth({ ...active(change.consecutiveFailures ?? 0), ...change }, steps(outcomes, generation), 0);
  const raised = (...args: Parameters<typeof after>) => after(...args).raises;

  test.each<[string, Partial<HealthState>, string, HealthVerdict['disable']]>([
    ['failures have disabled, at the tenth and not at the ninth', {}, 'f'.repeat(9), null],
    ['failures have disabled, at the tenth and not at the ninth', {}, 'f'.repeat(10), 'FAILURES'],
    ['failures have disabled, at the tenth and not at the ninth', { consecutiveFailures: 9 }, 'f', 'FAILURES'],
    ['failures have disabled, at a 410 too', {}, 'g', 'GONE'],
    ['deliveries of other events have disabled', {}, 'F'.repeat(10), null],
    ['deliveries of other events have disabled', {}, 'G', null],
    ['deliveries of other events have disabled', { consecutiveFailures: 9, ordinaryFailures: false }, 'F', null],
    ['one ordinary failure among ten has disabled', {}, `f${'F'.repeat(9)}`, 'FAILURES'],
    ['one ordinary failure among ten has disabled', {}, `${'F'.repeat(9)}f`, 'FAILURES'],
    ['one ordinary failure among ten has disabled', { consecutiveFailures: 9 }, 'F', 'FAILURES'],
    ['one ordinary failure among ten has disabled', { consecutiveFailures: 2 }, 'G', 'GONE'],
    ['an ordinary failure from before a success has not disabled', {}, `ffs${'F'.repeat(10)}`, null],
    [
      'an ordinary failure from before a success has not disabled',
      { consecutiveFailures: 5 },
      `S${'F'.repeat(10)}`,
      null,
    ],
  ])('report a webhook that %s: %j, then "%s"', (_, state, outcomes, reason) => {
    expect(raised(state, outcomes).disabled).toBe(reason);
  });

  test.each<[Partial<HealthState>, string, HealthVerdict['raises']]>([
    [{ disabledRaised: true }, 's', { recovered: true, disabled: null, failing: false }],
    [{ disabledRaised: true }, 'fff', { recovered: false, disabled: null, failing: false }],
    [{ disabledRaised: false }, 's', { recovered: false, disabled: null, failing: false }],
    [{ disabledRaised: true }, `s${'f'.repeat(10)}`, { recovered: true, disabled: 'FAILURES', failing: false }],
    [{ disabledRaised: true }, 'gs', { recovered: false, disabled: 'GONE', failing: false }],
  ])('report the first success after a disabling that was raised: %j, then "%s"', (state, outcomes, raises) => {
    expect(raised(state, outcomes)).toEqual(raises);
  });

  test.each<[Partial<HealthState>, string, boolean]>([
    [{}, 'f'.repeat(4), false],
    [{}, 'f'.repeat(5), true],
    [{ consecutiveFailures: 4 }, 'f', true],
    [{ consecutiveFailures: 5 }, 'f', false],
    [{ consecutiveFailures: 7 }, `s${'f'.repeat(5)}`, true],
    [{ consecutiveFailures: 4 }, 'fs', true],
    [{ consecutiveFailures: 4 }, 'g', false],
    [{}, 'f'.repeat(10), false],
    [{}, 'F'.repeat(9), false],
    [{}, `${'F'.repeat(6)}f`, true],
    [{ consecutiveFailures: 6, ordinaryFailures: false }, 'f', true],
    [{ consecutiveFailures: 6, ordinaryFailures: true }, 'f', false],
  ])('warn once a streak, at the fifth failure, unless it disables: %j, then "%s"', (state, outcomes, failing) => {
    expect(raised(state, outcomes).failing).toBe(failing);
  });

  test('report nothing of attempts from before the webhook was last switched, or of an inactive one', () => {
    const unchanged = { ordinaryFailures: false, raises: { failing: false, disabled: null, recovered: false } };
    const state = { ordinaryFailures: false, disabledRaised: true, consecutiveFailures: 9 };
    expect(after(state, 'gfs', 2)).toMatchObject(unchanged);
    expect(after({ ...state, active: false }, 'gfs')).toMatchObject(unchanged);
  });

  test('report every disabling where all events are ordinary, and never another reason', () => {
    const letters = fc.string({ unit: fc.constantFrom('f', 'F', 's', 'S', 'g', 'f', 'F'), maxLength: 40 });
    fc.assert(
      fc.property(letters, fc.integer({ min: 0, max: 9 }), (text, consecutiveFailures) => {
        const { disable, raises } = after({ consecutiveFailures }, text);
        expect(text === text.toLowerCase() ? [disable] : [null, disable]).toContain(raises.disabled);
      }),
    );
  });

  test('warn as often however the outcomes are grouped into writes', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('s', 'f', 'f', 'F'), maxLength: 9 }), (text) => {
        const warnings = (pieces: string[]) => {
          let state: Partial<HealthState> = { ordinaryFailures: false };
          let count = 0;
          for (const piece of pieces) {
            const { raises, consecutiveFailures, ordinaryFailures } = after(state, piece);
            count += Number(raises.failing);
            state = { consecutiveFailures, ordinaryFailures };
          }
          return count;
        };
        expect(warnings([...text])).toBe(warnings([text]));
      }),
    );
  });

  test('are none after successes without a failure or a disabling before, which are recorded unread', () => {
    const state = fc.record({ active: fc.boolean(), ordinaryFailures: fc.boolean() });
    const letters = fc.string({ unit: fc.constantFrom('s', 'S'), maxLength: 10 });
    fc.assert(
      fc.property(state, letters, fc.constantFrom(2, 3), (flags, text, generation) => {
        expect(after(flags, text, generation)).toEqual({
          consecutiveFailures: 0,
          streak: null,
          failingForMs: null,
          disable: null,
          ordinaryFailures: flags.ordinaryFailures,
          raises: { failing: false, disabled: null, recovered: false },
        });
      }),
    );
  });
});
