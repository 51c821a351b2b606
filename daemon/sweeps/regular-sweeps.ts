import type { Logger } from 'pino';
import { repeat } from '../../src/concurrency/repeat.js';
import { Slots } from '../../src/concurrency/slots.js';
import type { Database } from '../../src/database/database.js';
import { raisePending, warnOfExpiringHolds } from '../../src/operations/attempts/raise-events.js';
import { rescueBulkOperations } from '../../src/operations/bulk/rescue-bulk-operations.js';
import {
  heldFromStart,
  overdueFromStart,
  rescueHeld,
  rescueOverdue,
} from '../../src/operations/deliveries/rescue-deliveries.js';
import { scheduleDeliveries } from '../../src/operations/deliveries/schedule-deliveries.js';
import { correctFutureTimes } from '../../src/operations/housekeeping/correct-future-times.js';
import { unlessRunningElsewhere } from '../../src/operations/rows/advisory-lock.js';
import type { DaemonMetrics } from '../telemetry/metrics.js';

const SCHEDULE_EVERY_MS = 5_000;
const HELD_EVERY_MS = 2_000;
const OVERDUE_EVERY_MS = 10_000;
const BULK_EVERY_MS = 2_000;
const EVENTS_EVERY_MS = 5_000;

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
  const oneAtOnce = new Slots(1);
  const sweep = (name: string, everyMs: number, work: () => Promise<void>) =>
    repeat(name, everyMs, log, () => oneAtOnce.run(() => unlessRunningElsewhere(db.pool, name, work)));
  const held = heldFromStart();
  const overdue = overdueFromStart();
  const stops = [
    sweep('schedule', SCHEDULE_EVERY_MS, async () => {
      metrics.sweep('schedule', await scheduleDeliveries(db.pool));
    }),
    sweep('rescue-held', HELD_EVERY_MS, async () => {
      const webhooks = await rescueHeld(db.pool, held);
      metrics.sweep('held', webhooks);
      if (webhooks > 0) {
        log.info({ webhooks }, 'found held deliveries to settle');
      }
    }),
    sweep('rescue-overdue', OVERDUE_EVERY_MS, async () => {
      const early = await correctFutureTimes(db.pool);
      if (early > 0) {
        log.warn({ deliveries: early }, 'deliveries were due later than any can be; they are due now');
      }
      const deliveries = await rescueOverdue(db.pool, overdue);
      metrics.sweep('overdue', deliveries);
      if (deliveries > 0) {
        log.warn({ deliveries }, 'rescued overdue deliveries that no job knew of');
      }
    }),
    sweep('rescue-bulk', BULK_EVERY_MS, async () => {
      const operations = await rescueBulkOperations(db.pool);
      if (operations > 0) {
        log.info({ operations }, 'found bulk operations to go on with');
      }
    }),
    sweep('operational-events', EVENTS_EVERY_MS, async () => {
      await raisePending(db.pool);
      await warnOfExpiringHolds(db.pool);
    }),
  ];
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}
