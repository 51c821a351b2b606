import type { Logger } from 'pino';
import type { Database } from '../src/database.js';
import { raisePending, warnOfExpiringHolds } from '../src/operations/raise-events.js';
import { rescueBulkOperations } from '../src/operations/rescue-bulk-operations.js';
import {
  overdueFromStart,
  rescueHeld,
  rescueOverdue,
  unlessRunningElsewhere,
} from '../src/operations/rescue-deliveries.js';
import { scheduleDeliveries } from '../src/operations/schedule-deliveries.js';
import { inTurn } from './in-turn.js';
import type { DaemonMetrics } from './metrics.js';
import { repeat } from './repeat.js';

const SCHEDULE_EVERY_MS = 5_000;
const HELD_EVERY_MS = 2_000;
const OVERDUE_EVERY_MS = 10_000;
const BULK_EVERY_MS = 2_000;
const NEWS_EVERY_MS = 5_000;

/**
 * Looks again and again for deliveries whose time comes, and for those that fell through: pending without a job, or
 * held by a webhook that is active; for bulk operations that stand still; and for what owners are to be told of because
 * time has passed.
 * One process at a time does it, and one sweep at a time: each takes two connections, one of them for its lock. A sweep
 * that fails is logged and comes round again.
 *
 * @returns a function that ends it, after the sweeps under way
 */
export function startRescue(
  { db, log }: { db: Database; log: Logger },
  metrics: Pick<DaemonMetrics, 'sweep'>,
): () => Promise<void> {
  const queue = inTurn();
  const sweep = (name: string, work: () => Promise<void>) =>
    queue(() => unlessRunningElsewhere(db.pool, name, work));
  const schedule = repeat(SCHEDULE_EVERY_MS, log, () =>
    sweep('schedule', async () => {
      metrics.sweep('schedule', await scheduleDeliveries(db.pool));
    }),
  );
  const held = repeat(HELD_EVERY_MS, log, () =>
    sweep('rescue-held', async () => {
      const webhooks = await rescueHeld(db.pool);
      metrics.sweep('held', webhooks);
      if (webhooks > 0) {
        log.info({ webhooks }, 'found held deliveries to settle');
      }
    }),
  );
  const cursor = overdueFromStart();
  const overdue = repeat(OVERDUE_EVERY_MS, log, () =>
    sweep('rescue-overdue', async () => {
      const deliveries = await rescueOverdue(db.pool, cursor);
      metrics.sweep('overdue', deliveries);
      if (deliveries > 0) {
        log.warn({ deliveries }, 'rescued overdue deliveries that no job knew of');
      }
    }),
  );
  const bulk = repeat(BULK_EVERY_MS, log, () =>
    sweep('rescue-bulk', async () => {
      const operations = await rescueBulkOperations(db.pool);
      if (operations > 0) {
        log.info({ operations }, 'found bulk operations to go on with');
      }
    }),
  );
  const news = repeat(NEWS_EVERY_MS, log, () =>
    sweep('news', async () => {
      await raisePending(db.pool);
      await warnOfExpiringHolds(db.pool);
    }),
  );
  return async () => {
    await Promise.all([schedule(), held(), overdue(), bulk(), news()]);
  };
}
