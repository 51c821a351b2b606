import type { Database, Statement } from '../../platform/database/database.js';
import { tenantQuery } from '../../platform/database/tenant-database.js';
import { INSTALLATION_COUNT_MAX } from './read-installation.js';

/** Due deliveries that wait because their endpoints have asked for a pause, beside the rest of the backlog. */
export interface ClosedBacklog {
  /** At most INSTALLATION_COUNT_MAX. */
  due: number;
  /** The webhooks of these deliveries. */
  webhooks: number;
  /** When the last of the pauses ends; null: nothing waits for one. */
  until: Date | null;
  /**
   * When the oldest delivery became due that waits for no pause, of the INSTALLATION_COUNT_MAX that are due longest;
   * null: there is none.
   */
  oldestOtherDueAt: Date | null;
}

/** SQL: the columns of a ClosedBacklog, of the one row that it returns. */
const closedBacklogSql = (webhooks: string, deliveries: string): string => `
  with closed as materialized (
    select w.id, w.closed_until from ${webhooks} w
    where w.active and w.closed_until > now() and exists (
      select from ${deliveries} d where d.webhook_id = w.id and d.status = 'PENDING' and d.due_at <= now()))
  select (select count(*)::integer from (
            select from closed cross join lateral (
              select from ${deliveries} d where d.webhook_id = closed.id and d.status = 'PENDING' and d.due_at <= now()) d
            limit ${INSTALLATION_COUNT_MAX}) due) as due,
         (select count(*)::integer from closed) as webhooks, (select max(closed_until) from closed) as until,
         -- Usually none is closed; then the first entry of an index is enough.
         case when exists (select from closed)
           then (select due_at from (
                   select d.due_at, d.webhook_id from ${deliveries} d where d.status = 'PENDING' and d.due_at <= now()
                   order by d.due_at limit ${INSTALLATION_COUNT_MAX}) oldest
                 where webhook_id not in (select id from closed) order by due_at limit 1)
           else (select d.due_at from ${deliveries} d where d.status = 'PENDING' and d.due_at <= now()
                 order by d.due_at limit 1) end as "oldestOtherDueAt"`;

/** SQL that reads the tables themselves, as their owner. */
export const closedBacklogOfTablesSql = closedBacklogSql(
  `(select * from hookwright.webhooks where deleted_at is null)`,
  'hookwright.deliveries',
);

const statement: Statement = {
  name: 'read_closed_backlog',
  text: closedBacklogSql('hookwright.all_webhooks', 'hookwright.all_deliveries'),
};

/** Reads all tenants, through views that are empty for a tenant. */
export async function readClosedBacklog({ pool }: Pick<Database, 'pool'>): Promise<ClosedBacklog> {
  const [row] = await tenantQuery<ClosedBacklog>(pool, null, statement, []);
  return row!;
}
