import type pg from 'pg';
import type { Logger } from 'pino';
import { raisePending, warnOfExpiringHolds } from '../../src/operations/attempts/raise-events.js';
import { resumeIdleOperations } from '../../src/operations/bulk/resume-idle-operations.js';
import { alignMisheld, type Cursor, rescueOverdue } from '../../src/operations/deliveries/rescue-deliveries.js';
import { scheduleDeliveries } from '../../src/operations/deliveries/schedule-deliveries.js';
import { type WorthSweeping, worthSweeping } from '../../src/operations/housekeeping/worth-sweeping.js';
import { wakeLeftTurns } from '../../src/operations/ordering/left-turns.js';
import { unlessRunningElsewhere } from '../../src/operations/rows/advisory-lock.js';
import { probeDisabled } from '../../src/operations/webhooks/probe-webhooks.js';
import { repeat } from '../../src/platform/concurrency/repeat.js';
import { tryEach } from '../../src/platform/concurrency/try-each.js';
import type { Database } from '../../src/platform/database/database.js';
import type { Config } from '../../src/platform/settings/config.js';
import type { DaemonMetrics } from '../telemetry/metrics.js';

const ROUND_EVERY_MS = 2_000;

type Recovery = Config['deliveryDefaults']['recovery'];

interface Sweep {
  is: keyof WorthSweeping;
  /** The name of its lock, the same in every version of the service. */
  lock: string;
  /** 1: it is due in every round. */
  everyRounds: number;
  /** @returns how much it found */
  work(): Promise<number>;
}

/**
 * Looks regularly for retries that need jobs, for lost work (pending deliveries without a job, held deliveries of an
 * active webhook, bulk operations and ordering keys that stand still), for operational events that are due, and for
 * probes of disabled webhooks. Each round asks once which sweeps may find something. One process at a time does each
 * sweep, and one sweep runs at a time: it takes two connections, one for its lock. A sweep that fails is logged and
 * repeated.
 *
 * @returns a function that ends it, after the sweeps under way
 */
export function startSweeps(
  { db: { pool }, log, config }: { db: Database; log: Logger; config: Pick<Config, 'deliveryDefaults'> },
  metrics: Pick<DaemonMetrics, 'sweep'>,
): () => Promise<void> {
  const { recovery } = config.deliveryDefaults;
  const sweeps = sweepsOf(pool, log, recovery);
  let round = 0;
  return repeat('sweeps', ROUND_EVERY_MS, log, async () => {
    round += 1;
    const due = sweeps.filter(({ everyRounds }) => round % everyRounds === 0);
    const worth = await worthSweeping(pool, recovery);
    await tryEach(due, 'sweeps', async ({ is, lock, work }) => {
      const sweep = async () => metrics.sweep(is, await work());
      try {
        await (worth[is] ? unlessRunningElsewhere(pool, lock, sweep) : metrics.sweep(is, 0));
      } catch (error) {
        throw new Error(`The sweep "${is}" failed.`, { cause: error });
      }
    });
  });
}

function sweepsOf(pool: pg.Pool, log: Logger, recovery: Recovery): Sweep[] {
  const found = (counted: Record<string, number>, level: 'info' | 'warn', message: string): number => {
    const [count = 0] = Object.values(counted);
    if (count > 0) {
      log[level](counted, message);
    }
    return count;
  };
  const held: Cursor<number> = {};
  const overdue: Cursor<string> = {};
  const ordering = {};
  return [
    { is: 'schedule', lock: 'schedule', everyRounds: 2, work: () => scheduleDeliveries(pool) },
    {
      is: 'held',
      lock: 'rescue-held',
      everyRounds: 1,
      work: async () => found({ webhooks: await alignMisheld(pool, held) }, 'info', 'found held deliveries to align'),
    },
    {
      is: 'overdue',
      lock: 'rescue-overdue',
      everyRounds: 5,
      work: async () =>
        found({ deliveries: await rescueOverdue(pool, overdue) }, 'warn', 'rescued overdue deliveries that had no job'),
    },
    {
      is: 'bulk',
      lock: 'rescue-bulk',
      everyRounds: 1,
      work: async () =>
        found({ operations: await resumeIdleOperations(pool) }, 'info', 'found bulk operations to go on with'),
    },
    {
      is: 'events',
      lock: 'operational-events',
      everyRounds: 2,
      work: async () => (await raisePending(pool)) + (await warnOfExpiringHolds(pool)),
    },
    {
      is: 'ordering',
      lock: 'ordering',
      everyRounds: 10,
      work: async () =>
        found(
          { keys: await wakeLeftTurns(pool, ordering) },
          'info',
          'found ordering keys whose next delivery was not woken',
        ),
    },
    { is: 'recovery', lock: 'probe-disabled', everyRounds: 1, work: () => probeDisabled(pool, recovery) },
  ];
}
