import type pg from 'pg';

/** Deletes operations that ended longer ago than deliveries are kept. */
export async function forgetBulkOperations(pool: pg.Pool, retentionDays: number): Promise<void> {
  await pool.query(`delete from hookwright.bulk_operations where finished_at < now() - $1 * interval '1 day'`, [
    retentionDays,
  ]);
}
