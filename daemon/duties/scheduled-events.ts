import type { Logger } from 'pino';
import { emitScheduled } from '../../src/operations/scheduled/emit-scheduled.js';
import type { Database } from '../../src/platform/database/database.js';

/** Emits scheduled events that are due. Every daemon does, one at a time: `emitScheduled` has a lock of its own. */
export async function emitScheduledEvents({ db, log }: { db: Database; log: Logger }): Promise<void> {
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
}
