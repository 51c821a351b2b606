import { bucketMs, STATS_KEPT_MS } from './stats.js';

/**
 * How far statistics are rolled up; the next step goes on from a mark. Every step can be done again until its rows are
 * deleted: then the sums are final.
 */
export interface RollUpProgress {
  /** Minutes before have their sums over webhooks and event types. */
  minutesUntil: Date;
  hoursUntil: Date;
  daysUntil: Date;
  /** Minutes before are deleted. Always at a full hour. */
  minutesFrom: Date;
  /** Hours before are deleted. Always at the beginning of a day. */
  hoursFrom: Date;
}

/** A computation over the rows of `from <= bucket < until`, and the marks after it. */
export interface RollUpStep {
  /** The last two compute their hour or day a last time and delete its rows. */
  kind: 'SUM_MINUTES' | 'ROLL_HOURS' | 'ROLL_DAYS' | 'END_MINUTES' | 'END_HOURS';
  from: Date;
  until: Date;
  progress: RollUpProgress;
}

const { MINUTE, HOUR, DAY } = bucketMs;

/** An outcome's minute is that of its statement, whose transaction lasts at most the database's time limits. */
const GRACE_MS = 30_000;
/** The sums of this many minutes take two seconds for ten thousand busy webhooks. */
const MINUTES_A_STEP_MS = 10 * MINUTE;
/** Computed again each time, for a late outcome. */
const MINUTES_AGAIN_MS = 5 * MINUTE;
const HOURS_AGAIN_MS = HOUR;
/** By then all of a day's minutes are deleted, so its hours are final. */
const DAYS_AGAIN_MS = 3 * DAY;

const floor = (ms: number, unit: number) => Math.floor(ms / unit) * unit;

/** The first minute with outcomes at or after a mark, in ms since 1970; null: there is none. */
export type FirstMinutes = Record<'minutesUntil' | 'hoursUntil' | 'minutesFrom', number | null>;

/**
 * The next step: ten more minutes, one more hour or day, so that no transaction is long.
 *
 * @param now by the clock that outcomes are written by, which is the database's
 * @param firstMinutes one step goes through the whole time without outcomes before these
 * @returns null when nothing is left to do
 */
export function nextRollUp(progress: RollUpProgress, now: Date, firstMinutes?: FirstMinutes): RollUpStep | null {
  const ended = now.getTime() - GRACE_MS;
  const ms = (mark: keyof RollUpProgress) => progress[mark].getTime();
  const [minutesUntil, hoursUntil, daysUntil] = [ms('minutesUntil'), ms('hoursUntil'), ms('daysUntil')];
  const [minutesFrom, hoursFrom] = [ms('minutesFrom'), ms('hoursFrom')];
  const step = (kind: RollUpStep['kind'], mark: keyof RollUpProgress, from: number, until: number): RollUpStep => ({
    kind,
    from: new Date(from),
    until: new Date(until),
    progress: { ...progress, [mark]: new Date(until) },
  });

  const quietUntil = (mark: keyof FirstMinutes, latest: number) =>
    firstMinutes === undefined ? 0 : Math.min(latest, firstMinutes[mark] ?? latest);

  const quietMinutes = floor(quietUntil('minutesUntil', ended), MINUTE);
  const minutesEnd = Math.min(floor(ended, MINUTE), Math.max(minutesUntil + MINUTES_A_STEP_MS, quietMinutes));
  if (minutesEnd > minutesUntil) {
    const from = Math.max(minutesUntil - MINUTES_AGAIN_MS, minutesFrom);
    return step('SUM_MINUTES', 'minutesUntil', from, minutesEnd);
  }
  if (hoursUntil + HOUR <= ended) {
    const until = Math.max(hoursUntil + HOUR, floor(quietUntil('hoursUntil', ended), HOUR));
    return step('ROLL_HOURS', 'hoursUntil', Math.max(hoursUntil - HOURS_AGAIN_MS, minutesFrom), until);
  }
  if (daysUntil + DAY <= hoursUntil) {
    return step('ROLL_DAYS', 'daysUntil', Math.max(daysUntil - DAYS_AGAIN_MS, hoursFrom), daysUntil + DAY);
  }
  const endMinutesUntil = ended - STATS_KEPT_MS.MINUTE;
  if (minutesFrom + HOUR <= endMinutesUntil) {
    const until = Math.max(minutesFrom + HOUR, floor(quietUntil('minutesFrom', endMinutesUntil), HOUR));
    return step('END_MINUTES', 'minutesFrom', minutesFrom, until);
  }
  if (hoursFrom + DAY <= Math.min(ended - STATS_KEPT_MS.HOUR, minutesFrom)) {
    return step('END_HOURS', 'hoursFrom', hoursFrom, hoursFrom + DAY);
  }
  return null;
}
