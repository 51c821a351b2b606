import type pg from 'pg';
import { inChunks } from '../../platform/concurrency/in-chunks.js';
import { query, type Statement } from '../../platform/database/database.js';
import { hasNoJobSql, lockFreeJobsSql, prioritySql } from '../../platform/graphile-worker/job-conditions.js';
import { staysSql } from '../cells/moving.js';
import { OVERDUE_SECONDS } from './rescue-deliveries.js';

/** Less than the minute of `needsJobSql`: a retry that is nearer gets its job when it is recorded. */
const HORIZON_SECONDS = 20;

/** SQL: whether deliveries may need jobs (Duty.worthIt). */
export const worthSchedulingSql = `first_due <= now() + ${HORIZON_SECONDS} * interval '1 second'`;
const CHUNK_ROWS = 10_000;
/** The next sweep continues: other sweeps wait meanwhile. */
const SWEEP_ROWS = 100_000;

const scheduleStatement: Statement = {
  text: `
    with soon as materialized (
      select d.id, d.due_at, d.attempt_count from hookwright.deliveries d
      where d.status = 'PENDING' and (d.attempt_count > 0 or d.settling_since is not null)
        and d.due_at > now() - ${OVERDUE_SECONDS} * interval '1 second'
        and d.due_at <= now() + ${HORIZON_SECONDS} * interval '1 second'
        and ${hasNoJobSql('d')} and ${staysSql('d.tenant_id')}
      order by d.due_at limit ${CHUNK_ROWS}),
    ${lockFreeJobsSql(`array(select 'd:' || id from soon)`)}
    select count(*)::integer as scheduled, (select count(*)::integer from soon) as looked,
           hookwright.enqueue_deliveries(array_agg(id), array_agg(attempt_count + 1), array_agg(due_at),
             array_agg(${prioritySql('attempt_count')}))
    from soon where 'd:' || id not in (select key from locked_job)`,
};

/**
 * Adds the jobs of retries, and of deliveries that settle, that will be due within seconds. One whose earlier job
 * another session has locked is left for a later call.
 *
 * @returns how many jobs were added; others may be left for the next call
 */
export async function scheduleDeliveries(pool: pg.Pool): Promise<number> {
  let total = 0;
  const scheduleChunk = async () => {
    const [row] = await query<{ scheduled: number; looked: number }>(pool, scheduleStatement, []);
    total += row?.scheduled ?? 0;
    return row?.looked ?? 0;
  };
  await inChunks(CHUNK_ROWS, scheduleChunk, SWEEP_ROWS);
  return total;
}
