import type pg from 'pg';
import { query, type Statement } from '../../platform/database/database.js';
import { bigintArray } from '../../platform/database/rows-parameter.js';
import { wakeJobsSql } from '../../platform/graphile-worker/job-conditions.js';
import type { Woken } from '../jobs/tasks.js';

const LOOKED_ROWS = 1_000;

/** Makes deliveries due that were put off for an earlier state of the endpoint: now, or when a closed one opens. */
export async function wakePutOff(
  pool: pg.Pool,
  webhookId: number,
  from: Woken,
  { endAt, leaveRest }: { endAt: number; leaveRest: (rest: Woken) => Promise<void> },
): Promise<number> {
  let { wokenTo } = from;
  let woken = 0;
  for (;;) {
    const looked = await query<PendingRow>(pool, pendingStatement, [webhookId, wokenTo]);
    const due = looked.filter(({ due }) => due).map(({ id }) => id);
    if (due.length > 0) {
      woken += (await query(pool, wakeStatement, [bigintArray(due), webhookId, from.putOffBefore])).length;
    }
    if (looked.length < LOOKED_ROWS) {
      return woken;
    }
    wokenTo = looked.at(-1)!.id;
    if (performance.now() >= endAt) {
      await leaveRest({ ...from, wokenTo });
      return woken;
    }
  }
}

interface PendingRow {
  id: number;
  due: boolean;
}

const pendingStatement: Statement = {
  name: 'find_pending',
  text: `
    select d.id, d.due_at <= now() as due from hookwright.deliveries d
    where d.webhook_id = $1 and d.status = 'PENDING' and d.id > $2
      and (select w.active and w.deleted_at is null from hookwright.webhooks w where w.id = $1)
    order by d.id limit ${LOOKED_ROWS}`,
};

const wakeStatement: Statement = {
  text: wakeJobsSql('select unnest($1::bigint[]) as id', {
    at: '(select greatest(now(), closed_until) from hookwright.webhooks where id = $2)',
    putOffBefore: '$3::timestamptz',
  }),
};
