import type pg from 'pg';
import { query, type Statement } from '../../database/database.js';
import { hasNoBulkJobSql } from '../jobs/job-conditions.js';

const statement: Statement = {
  text: `
    with idle as materialized (
      select o.id, o.tenant_id from hookwright.bulk_operations o
      left join hookwright.webhooks w on w.id = o.webhook_id
      where o.finished_at is null
        and case o.status when 'PAUSED' then w.active or w.deleted_at is not null
                          else ${hasNoBulkJobSql('o.id')} end),
    running as (
      update hookwright.bulk_operations o set status = 'RUNNING' from idle
      where o.id = idle.id and o.finished_at is null
      returning o.id, o.tenant_id)
    select count(*)::integer as operations, count(hookwright.enqueue_bulk_operation(id, tenant_id, 0, 0))
    from running`,
};

/**
 * Goes on with bulk operations that stand still: running ones that have no job (it was deleted, or handed out in a
 * reply that was lost), and paused ones whose webhook is active again, or deleted.
 *
 * @returns how many
 */
export async function rescueBulkOperations(pool: pg.Pool): Promise<number> {
  const [row] = await query<{ operations: number }>(pool, statement, []);
  return row?.operations ?? 0;
}
