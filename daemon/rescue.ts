import type { Logger } from 'pino';
import type { Database } from '../src/database.js';
import { rescueHeld, rescueOverdue, unlessRunningElsewhere } from '../src/operations/rescue-deliveries.js';

const HELD_EVERY_MS = 2_000;
const OVERDUE_EVERY_MS = 10_000;

/**
 * Looks again and again for deliveries that fell through: pending without a job, or held by a webhook that is active.
 * One process at a time does it. A sweep that fails is logged and comes round again.
 *
 * @returns a function that ends it, after the sweeps under way
 */
export function startRescue({ db, log }: { db: Database; log: Logger }): () => Promise<void> {
  const held = repeat(HELD_EVERY_MS, log, () =>
    unlessRunningElsewhere(db.pool, 'rescue-held', async () => {
      const webhooks = await rescueHeld(db.pool);
      if (webhooks > 0) {
        log.info({ webhooks }, 'found held deliveries to settle');
      }
    }),
  );
  const overdue = repeat(OVERDUE_EVERY_MS, log, () =>
    unlessRunningElsewhere(db.pool, 'rescue-overdue', async () => {
      const deliveries = await rescueOverdue(db.pool);
      if (deliveries > 0) {
        log.warn({ deliveries }, 'rescued overdue deliveries that no job knew of');
      }
    }),
  );
  return async () => {
    await Promise.all([held(), overdue()]);
  };
}

/** Runs `work` every so often, never twice at once. */
function repeat(everyMs: number, log: Logger, work: () => Promise<void>): () => Promise<void> {
  let underWay: Promise<void> = Promise.resolve();
  let busy = false;
  const timer = setInterval(() => {
    if (busy) {
      return;
    }
    busy = true;
    underWay = work()
      .catch((error: unknown) => log.warn({ err: error }, 'a sweep failed; it is tried again'))
      .finally(() => {
        busy = false;
      });
  }, everyMs);
  return async () => {
    clearInterval(timer);
    await underWay;
  };
}
