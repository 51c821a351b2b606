import type pg from 'pg';
import { query, type Statement } from '../../database/database.js';
import { wakeJobsSql } from '../jobs/job-conditions.js';
import type { Woken } from '../jobs/tasks.js';

const LOOKED_ROWS = 1_000;

/**
 * Deliveries that were put off for the endpoint as it was are due now; while it is closed, when it opens. Those that
 * are put off meanwhile are left alone: they were put off for the endpoint as it is.
 */
export async function wakePutOff(
  pool: pg.Pool,
  tenantId: number,
  webhookId: number,
  from: Woken,
  { endAt, leaveRest }: { endAt: number; leaveRest: (rest: Woken) => Promise<void> },
): Promise<number> {
  let { wokenTo } = from;
  let woken = 0;
  for (;;) {
    const values = [tenantId, webhookId, from.putOffBefore, wokenTo];
    const [row] = await query<WakeRow>(pool, wakeStatement, values);
    woken += row?.woken ?? 0;
    if (row === undefined || row.last_id === null || row.looked < LOOKED_ROWS) {
      return woken;
    }
    wokenTo = row.last_id;
    if (performance.now() >= endAt) {
      await leaveRest({ ...from, wokenTo });
      return woken;
    }
  }
}

interface WakeRow {
  looked: number;
  last_id: number | null;
  woken: number;
}

const dueOfLooked = 'select looked.id from looked where looked.due_at <= now()';
const wakeStatement: Statement = {
  text: `
    with looked as materialized (
      select d.id, d.due_at from hookwright.deliveries d
      where d.tenant_id = $1 and d.webhook_id = $2 and d.status = 'PENDING' and d.id > $4
        and (select w.active and w.deleted_at is null from hookwright.webhooks w where w.id = $2)
      order by d.id limit ${LOOKED_ROWS}),
    woken as (
      ${wakeJobsSql(dueOfLooked, {
        at: '(select greatest(now(), closed_until) from hookwright.webhooks where id = $2)',
        putOffBefore: '$3::timestamptz',
      })})
    select count(*)::integer as looked, max(id) as last_id, (select count(*)::integer from woken) as woken
    from looked`,
};
