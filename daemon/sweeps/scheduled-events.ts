import type { Logger } from 'pino';
import { emitScheduled } from '../../src/operations/scheduled/emit-scheduled.js';
import { repeat } from '../../src/platform/concurrency/repeat.js';
import type { Database } from '../../src/platform/database/database.js';

const EVERY_MS = 1_000;

/** Emits scheduled events when they are due. Every daemon does, one at a time. @returns a function that ends it */
export function startScheduledEvents({ db, log }: { db: Database; log: Logger }): () => Promise<void> {
  return repeat('scheduled-events', EVERY_MS, log, async () => {
    const { events, refused, problems } = await emitScheduled(db.pool);
    if (events > 0) {
      log.debug({ events }, 'emitted scheduled events');
    }
    if (refused > 0) {
      log.warn({ events: refused }, 'canceled scheduled events that could not be emitted any more');
    }
    if (problems.length > 0) {
      log.warn({ problem: problems[0], events: problems.length }, 'scheduled events are tried again in two seconds');
    }
  });
}
