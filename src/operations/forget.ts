import type pg from 'pg';

/** Longer than a hold of the usual length with its retries; what is sent later is no longer traced. */
const TRACE_DAYS = 8;

/** Deletes where traces of old events would go on from. */
export async function forgetTraces(pool: pg.Pool): Promise<void> {
  await pool.query(
    `delete from hookwright.event_traces where event_id < hookwright.id_at(now() - interval '${TRACE_DAYS} days')`,
  );
}

/** Idempotency keys are kept 7 days: the same key within that time is the same event. */
export async function forgetIdempotencyKeys(pool: pg.Pool): Promise<void> {
  await pool.query(`delete from hookwright.idempotency_keys where created_at < now() - interval '7 days'`);
}
