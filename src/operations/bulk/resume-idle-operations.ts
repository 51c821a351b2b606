import type pg from 'pg';
import { query, type Statement } from '../../platform/database/database.js';
import { hasNoBulkJobSql, lockFreeJobsSql } from '../../platform/graphile-worker/job-conditions.js';
import { staysSql } from '../cells/moving.js';

/** SQL: whether operations may stand still (Duty.worthIt). */
export const worthResumingSql = 'exists (select from hookwright.bulk_operations where finished_at is null)';

const statement: Statement = {
  text: `
    with idle as materialized (
      select o.id, o.tenant_id from hookwright.bulk_operations o
      left join hookwright.webhooks w on w.id = o.webhook_id
      where o.finished_at is null and coalesce(o.begins_at <= now(), true) and ${staysSql('o.tenant_id')}
        and case o.status when 'PAUSED' then w.active or w.deleted_at is not null
                          else ${hasNoBulkJobSql('o.id')} end
      for update of o skip locked),
    ${lockFreeJobsSql(`array(select 'b:' || id from idle)`)},
    running as (
      update hookwright.bulk_operations o set status = 'RUNNING' from idle
      where o.id = idle.id and o.finished_at is null and 'b:' || o.id not in (select key from locked_job)
      returning o.id, o.tenant_id)
    select count(*)::integer as operations, count(hookwright.enqueue_bulk_operation(id, tenant_id, 0, 0))
    from running`,
};

/**
 * Continues bulk operations that stand still: running ones without a job (it was deleted, or the reply of its fetch was
 * lost), and paused ones whose webhook is active again or deleted. Locked rows are left for the next call.
 *
 * @returns how many
 */
export async function resumeIdleOperations(pool: pg.Pool): Promise<number> {
  const [row] = await query<{ operations: number }>(pool, statement, []);
  return row?.operations ?? 0;
}
