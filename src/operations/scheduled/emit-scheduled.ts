import pg from 'pg';
import { query, type Statement } from '../../platform/database/database.js';

const BATCH_EVENTS = 500;
/** The next call goes on, so that the end of a daemon need not wait long. */
const BATCHES_MAX = 20;
const DOWN = 10;

const statement: Statement = {
  name: 'emit_scheduled',
  text: 'select looked, refused, problem from hookwright.emit_scheduled($1)',
};

interface Batch {
  looked: number;
  refused: number;
  problem: string | null;
}

interface Emitted {
  /** Scheduled events that are finished: emitted or canceled. */
  events: number;
  /** Canceled, because they could not be emitted any more. */
  refused: number;
  /** Why some will be tried again in two seconds. */
  problems: string[];
}

/**
 * Emits the scheduled events that are due, each batch in a transaction with its marks: exactly once, also while other
 * daemons do the same. A batch that fails, as by the lock of an application, is done in smaller ones, so that it delays
 * no others.
 *
 * @throws what the database throws, but for errors of a batch
 */
export async function emitScheduled(pool: pg.Pool): Promise<Emitted> {
  const done: Emitted = { events: 0, refused: 0, problems: [] };
  let most = BATCH_EVENTS;
  for (let batches = 0; batches < BATCHES_MAX; batches += 1) {
    const batch = await emitBatch(pool, most);
    if (batch === null) {
      most = Math.max(1, Math.floor(most / DOWN));
      continue;
    }
    const { looked, refused, problem } = batch;
    done.refused += refused;
    if (problem === null) {
      done.events += looked;
    } else {
      done.problems.push(problem);
    }
    if (looked < most) {
      break;
    }
    most = Math.min(BATCH_EVENTS, most * DOWN);
  }
  return done;
}

/** Null: several events failed together. */
async function emitBatch(pool: pg.Pool, most: number): Promise<Batch | null> {
  try {
    const [batch] = await query<Batch>(pool, statement, [most]);
    return batch!;
  } catch (error) {
    if (most > 1 && error instanceof pg.DatabaseError && error.severity === 'ERROR') {
      return null;
    }
    throw error;
  }
}
