import type pg from 'pg';
import { inChunks } from '../../concurrency/in-chunks.js';

/** Longer than a usual hold with its retries; later deliveries are not traced. */
const TRACE_DAYS = 8;
const CHUNK_ROWS = 5_000;

/** Deletes the trace contexts of old events. */
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
      // The condition stands twice: a row may change meanwhile.
      `delete from hookwright.${table} where ${condition} and ctid = any(array(
         select ctid from hookwright.${table} where ${condition} limit ${CHUNK_ROWS}))`,
    );
    return rowCount ?? 0;
  });
}
