import type { Logger } from 'pino';
import { raisePending, warnOfExpiringHolds } from '../../src/operations/attempts/raise-events.js';
import { resumeIdleOperations } from '../../src/operations/bulk/resume-idle-operations.js';
import { alignMisheld, type Cursor, rescueOverdue } from '../../src/operations/deliveries/rescue-deliveries.js';
import { scheduleDeliveries } from '../../src/operations/deliveries/schedule-deliveries.js';
import { correctFutureTimes } from '../../src/operations/housekeeping/correct-future-times.js';
import { unlessRunningElsewhere } from '../../src/operations/rows/advisory-lock.js';
import { repeat } from '../../src/platform/concurrency/repeat.js';
import { Slots } from '../../src/platform/concurrency/slots.js';
import type { Database } from '../../src/platform/database/database.js';
import type { DaemonMetrics } from '../telemetry/metrics.js';

/**
 * Looks regularly for retries that need jobs, for lost work (pending deliveries without a job, held deliveries of an
 * active webhook, bulk operations that stand still) and for operational events that are due. One process at a time does
 * each sweep, and one sweep runs at a time: it takes two connections, one for its lock. A sweep that fails is logged
 * and repeated.
 *
 * @returns a function that ends it, after the sweeps under way
 */
export function startSweeps(
  { db, log }: { db: Database; log: Logger },
  metrics: Pick<DaemonMetrics, 'sweep'>,
): () => Promise<void> {
  const { pool } = db;
  const oneAtOnce = new Slots(1);
  const sweep = (name: string, everyMs: number, work: () => Promise<void>) =>
    repeat(name, everyMs, log, () => oneAtOnce.run(() => unlessRunningElsewhere(pool, name, work)));
  const found = (counted: Record<string, number>, level: 'info' | 'warn', message: string) => {
    if (Object.values(counted).some((count) => count > 0)) {
      log[level](counted, message);
    }
  };
  const held: Cursor<number> = {};
  const overdue: Cursor<string> = {};
  const stops = [
    sweep('schedule', 5_000, async () => metrics.sweep('schedule', await scheduleDeliveries(pool))),
    sweep('rescue-held', 2_000, async () => {
      const webhooks = await alignMisheld(pool, held);
      metrics.sweep('held', webhooks);
      found({ webhooks }, 'info', 'found held deliveries to align');
    }),
    sweep('rescue-overdue', 10_000, async () => {
      const early = await correctFutureTimes(pool);
      found({ deliveries: early }, 'warn', 'deliveries were due later than any can be; they are due now');
      const deliveries = await rescueOverdue(pool, overdue);
      metrics.sweep('overdue', deliveries);
      found({ deliveries }, 'warn', 'rescued overdue deliveries that had no job');
    }),
    sweep('rescue-bulk', 2_000, async () =>
      found({ operations: await resumeIdleOperations(pool) }, 'info', 'found bulk operations to go on with'),
    ),
    sweep('operational-events', 5_000, async () => {
      await raisePending(pool);
      await warnOfExpiringHolds(pool);
    }),
  ];
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}
