import type { ParsedCronItem, TaskList } from 'graphile-worker';
import type pg from 'pg';
import type { Logger } from 'pino';
import { worthDoing } from '../../src/operations/housekeeping/worth-doing.js';
import { unlessRunningElsewhere } from '../../src/operations/rows/advisory-lock.js';
import { repeat } from '../../src/platform/concurrency/repeat.js';
import { tryEach } from '../../src/platform/concurrency/try-each.js';
import { parseCronItems } from '../../src/platform/graphile-worker/library.js';
import type { DaemonMetrics, SweepName } from '../telemetry/metrics.js';

/** Work that a daemon does regularly. It is never done twice at once in a process. */
export interface Duty {
  /** In logs, in the metric of sweeps, and as a task. The same in every version of the service. */
  name: string;
  /**
   * Milliseconds, in each daemon; or times, at each of which one of all daemons does it. A time that was missed by at
   * most `backfillMs` is made up for.
   */
  every: number | { cron: string; backfillMs: number };
  /**
   * Held during the work: two daemons never do it at once, but may do it one after the other. Null: also at once. The
   * same in every version of the service.
   */
  lock: string | null;
  work(): Promise<unknown>;
  /** Done once when the daemon starts; a failure is left to `work`. @param ended is aborted when the daemon ends */
  begin?(ended: AbortSignal): Promise<unknown>;
  /** Done after the last work. */
  end?(): Promise<unknown>;
}

/**
 * A search for work that nobody has in hand. In each round one query asks for all sweeps whether they may find
 * something, and one sweep runs at a time: it takes two connections, one for its lock.
 */
export interface Sweep extends Duty {
  name: SweepName;
  /** A multiple of ROUND_EVERY_MS. */
  every: number;
  lock: string;
  /** SQL: a condition that is false or null when the sweep would find nothing (`worthDoing`). */
  worthIt: string;
  /** @returns how much it found */
  work(): Promise<number>;
}

/** Sweeps are due every this many milliseconds, or a multiple of it. */
const ROUND_EVERY_MS = 2_000;

const isSweep = (duty: Duty): duty is Sweep => 'worthIt' in duty;

/**
 * Begins the duties that do not go by the clock. One that fails is logged, and repeated.
 *
 * @returns a function that ends them, after the work under way
 */
export function startDuties(
  duties: readonly Duty[],
  { pool, log, metrics }: { pool: pg.Pool; log: Logger; metrics: Pick<DaemonMetrics, 'sweep'> },
): () => Promise<void> {
  const sweeps = duties.filter(isSweep);
  let round = 0;
  const stops = [
    ...duties.map((duty) => (isSweep(duty) ? async () => {} : startAlone(duty, pool, log))),
    repeat('sweeps', ROUND_EVERY_MS, log, async () => {
      round += 1;
      const due = sweeps.filter(({ every }) => (round * ROUND_EVERY_MS) % every === 0);
      const worth = await worthDoing(pool, sweeps);
      await tryEach(due, 'sweeps', (sweep) => runSweep(pool, sweep, worth[sweep.name] === true, metrics));
    }),
  ];
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
    await Promise.all(sweeps.map((sweep) => sweep.end?.().catch(() => {})));
  };
}

function startAlone(duty: Duty, pool: pg.Pool, log: Logger): () => Promise<void> {
  if (typeof duty.every !== 'number') {
    return async () => {};
  }
  const ended = new AbortController();
  const begun = duty.begin?.(ended.signal).catch(() => {});
  const stop = repeat(duty.name, duty.every, log, () => doOnce(pool, duty));
  return async () => {
    ended.abort();
    await Promise.all([begun, stop()]);
    await duty.end?.().catch(() => {});
  };
}

async function runSweep(pool: pg.Pool, duty: Sweep, isWorthIt: boolean, metrics: Pick<DaemonMetrics, 'sweep'>) {
  const { name } = duty;
  try {
    const work = async () => metrics.sweep(name, await duty.work());
    await (isWorthIt ? doOnce(pool, { ...duty, work }) : metrics.sweep(name, 0));
  } catch (error) {
    throw new Error(`The sweep "${name}" failed.`, { cause: error });
  }
}

/** Does a duty, unless another process holds its lock. */
export async function doOnce(pool: pg.Pool, { lock, work }: Pick<Duty, 'lock' | 'work'>): Promise<void> {
  await (lock === null ? work() : unlessRunningElsewhere(pool, lock, async () => void (await work())));
}

/** Duties that go by the clock are tasks of graphile-worker: the database knows when each was begun last. */
export function timedDuties(pool: pg.Pool, duties: readonly Duty[]): { tasks: TaskList; cronItems: ParsedCronItem[] } {
  const timed = duties.flatMap(({ every, ...duty }) => (typeof every === 'number' ? [] : [{ ...duty, ...every }]));
  return {
    tasks: Object.fromEntries(timed.map((duty) => [duty.name, () => doOnce(pool, duty)])),
    cronItems: parseCronItems(
      timed.map(({ name, cron, backfillMs }) => ({
        task: name,
        match: cron,
        identifier: name,
        // One run does everything that is due. Without backfill the next time comes soon enough.
        options: { backfillPeriod: backfillMs, maxAttempts: backfillMs > 0 ? 3 : 1, jobKey: name },
      })),
    ),
  };
}
