import { describe, expect, test } from 'vitest';
import { nextRollUp, type RollUpProgress, type RollUpStep } from '../../src/domain/stats/roll-up.js';
import { STATS_KEPT_MS } from '../../src/domain/stats/stats.js';

const HOUR = 3_600_000;
const at = (text: string) => new Date(`${text}Z`);
const start = at('2026-05-18T00:00:00');
const until = { minutesUntil: start, hoursUntil: start, daysUntil: start };
const fromStart: RollUpProgress = { ...until, minutesFrom: start, hoursFrom: start };

/** All steps until nothing is left to do. */
function stepsFrom(progress: RollUpProgress, now: Date): RollUpStep[] {
  const steps: RollUpStep[] = [];
  for (let step = nextRollUp(progress, now); step !== null; step = nextRollUp(step.progress, now)) {
    steps.push(step);
  }
  return steps;
}
const after = (progress: RollUpProgress, now: Date) => stepsFrom(progress, now).at(-1)?.progress ?? progress;

describe('the roll-up', () => {
  test('sums a minute up half a minute after its end, and not before', () => {
    const rolled = after(fromStart, at('2026-05-20T10:30:30'));
    expect(rolled.minutesUntil).toEqual(at('2026-05-20T10:30:00'));
    expect(nextRollUp(rolled, at('2026-05-20T10:31:29.999'))).toBeNull();
    expect(nextRollUp(rolled, at('2026-05-20T10:31:30'))).toMatchObject({
      kind: 'SUM_MINUTES',
      from: at('2026-05-20T10:25:00'), // those of a moment ago once more
      until: at('2026-05-20T10:31:00'),
    });
  });

  test('sums up what was missed in steps of ten minutes, with the five before', () => {
    const sums = stepsFrom(fromStart, at('2026-05-18T06:00:30')).filter(({ kind }) => kind === 'SUM_MINUTES');
    expect(sums).toHaveLength(36);
    expect(Math.max(...sums.map(({ from, until }) => until.getTime() - from.getTime()))).toBe(HOUR / 4);
  });

  test('rolls an hour up after its end, with the one before once more', () => {
    const rolled = after(fromStart, at('2026-05-20T10:59:59'));
    expect(rolled.hoursUntil).toEqual(at('2026-05-20T10:00:00'));
    expect(stepsFrom(rolled, at('2026-05-20T11:00:30')).find(({ kind }) => kind === 'ROLL_HOURS')).toMatchObject({
      from: at('2026-05-20T09:00:00'),
      until: at('2026-05-20T11:00:00'),
    });
  });

  test('rolls a day up once its hours are', () => {
    expect(after(fromStart, at('2026-05-20T00:00:29')).daysUntil).toEqual(at('2026-05-19T00:00:00'));
    expect(after(fromStart, at('2026-05-20T00:00:30')).daysUntil).toEqual(at('2026-05-20T00:00:00'));
  });

  test('rolls the days of before up once more, whose last minutes have gone meanwhile', () => {
    const rolled = after(fromStart, at('2026-05-27T12:00:00'));
    expect(stepsFrom(rolled, at('2026-05-28T00:00:30')).find(({ kind }) => kind === 'ROLL_DAYS')).toMatchObject({
      from: at('2026-05-24T00:00:00'),
      until: at('2026-05-28T00:00:00'),
    });
    expect(rolled.minutesFrom.getTime()).toBeGreaterThanOrEqual(at('2026-05-25T00:00:00').getTime());
  });

  test('lets minutes and hours go when they are no longer kept, and not before', () => {
    const end = (kept: number, ms: number) => new Date(start.getTime() + kept + 30_000 + ms);
    const minutesGo = end(STATS_KEPT_MS.MINUTE, HOUR);
    expect(after(fromStart, new Date(minutesGo.getTime() - 1)).minutesFrom).toEqual(start);
    expect(after(fromStart, minutesGo).minutesFrom).toEqual(new Date(start.getTime() + HOUR));
    const hoursGo = end(STATS_KEPT_MS.HOUR, 24 * HOUR);
    expect(after(fromStart, new Date(hoursGo.getTime() - 1)).hoursFrom).toEqual(start);
    expect(after(fromStart, hoursGo).hoursFrom).toEqual(new Date(start.getTime() + 24 * HOUR));
  });

  test('after an outage of weeks goes through all of it, an hour or a day at a time', () => {
    const steps = stepsFrom(fromStart, at('2026-06-15T12:00:30'));
    const of = (kind: RollUpStep['kind']) => steps.filter((step) => step.kind === kind);
    expect(of('ROLL_HOURS')).toHaveLength(28 * 24 + 12);
    expect(of('ROLL_DAYS')).toHaveLength(28);
    expect(of('END_MINUTES')).toHaveLength(28 * 24 + 12 - 49);
    expect(steps.every(({ from, until }) => until.getTime() - from.getTime() <= 96 * HOUR)).toBe(true);
  });

  test('goes through a time without outcomes in one step, and comes to the same marks', () => {
    const now = at('2026-06-15T12:00:30');
    const first = at('2026-06-10T07:45:00').getTime();
    const firstAt = (mark: Date) => (first >= mark.getTime() ? first : null);
    const steps: RollUpStep[] = [];
    for (let progress = fromStart; ; progress = steps.at(-1)!.progress) {
      const { minutesUntil, hoursUntil, minutesFrom } = progress;
      const marks = {
        minutesUntil: firstAt(minutesUntil),
        hoursUntil: firstAt(hoursUntil),
        minutesFrom: firstAt(minutesFrom),
      };
      const step = nextRollUp(progress, now, marks);
      if (step === null) {
        break;
      }
      steps.push(step);
    }
    expect(steps.at(-1)?.progress).toEqual(after(fromStart, now));
    const of = (kind: RollUpStep['kind']) => steps.filter((step) => step.kind === kind).map(({ until }) => until);
    const hours = [at('2026-06-10T07:00:00'), at('2026-06-10T08:00:00')];
    expect(of('SUM_MINUTES')).toEqual([
      at('2026-06-10T07:45:00'),
      at('2026-06-10T07:55:00'),
      at('2026-06-15T12:00:00'),
    ]);
    expect(of('ROLL_HOURS')).toEqual([...hours, at('2026-06-15T12:00:00')]);
    expect(of('END_MINUTES')).toEqual([...hours, at('2026-06-13T11:00:00')]);
  });

  test('never computes an hour or a day from rows of which some are gone', () => {
    let progress = fromStart;
    for (let hours = 0; hours < 24 * 100; hours += 7) {
      for (const { kind, from, progress: next } of stepsFrom(progress, new Date(start.getTime() + hours * HOUR))) {
        const gone = kind.endsWith('DAYS') || kind === 'END_HOURS' ? progress.hoursFrom : progress.minutesFrom;
        expect(from.getTime(), kind).toBeGreaterThanOrEqual(gone.getTime());
        expect(next.minutesFrom.getTime()).toBeLessThanOrEqual(next.hoursUntil.getTime());
        expect(next.hoursFrom.getTime()).toBeLessThanOrEqual(next.daysUntil.getTime());
        progress = next;
      }
    }
    expect(progress.hoursFrom.getTime()).toBeGreaterThan(start.getTime());
  });
});
