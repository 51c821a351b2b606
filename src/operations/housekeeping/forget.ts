import type pg from 'pg';
import { inChunks } from '../../concurrency/in-chunks.js';

/** Longer than a hold of the usual length with its retries; what is sent later is no longer traced. */
const TRACE_DAYS = 8;
const CHUNK_ROWS = 5_000;

/** Deletes where traces of old events would go on from. */
export const forgetTraces = (pool: pg.Pool): Promise<void> =>
  forgetRows(pool, 'event_traces', `event_id < hookwright.id_at(now() - interval '${TRACE_DAYS} days')`);

/** Idempotency keys are kept 7 days: the same key within that time is the same event. */
export const forgetIdempotencyKeys = (pool: pg.Pool): Promise<void> =>
  forgetRows(pool, 'idempotency_keys', `created_at < now() - interval '7 days'`);

/**
 * Deletes rows however many there are, chunk by chunk.
 *
 * @param condition SQL, for which the table has an index
 */
export async function forgetRows(pool: pg.Pool, table: string, condition: string): Promise<void> {
  await inChunks(CHUNK_ROWS, async () => {
    const { rowCount } = await pool.query(
      // The condition again: a row that somebody changes meanwhile is looked at as it is then.
      `delete from hookwright.${table} where ${condition} and ctid = any(array(
         select ctid from hookwright.${table} where ${condition} limit ${CHUNK_ROWS}))`,
    );
    return rowCount ?? 0;
  });
}
