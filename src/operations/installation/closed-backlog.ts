import type { HasPool, Statement } from '../../platform/database/database.js';
import { tenantQuery } from '../../platform/database/tenant-database.js';
import type { ClosedBacklog } from '../explorer/read-backlog.js';
import { OLDEST_LOOKED, oldestOtherSql } from './oldest-other.js';
import { INSTALLATION_COUNT_MAX } from './read-installation.js';

/** Deliveries of this many webhooks are counted: of those whose pauses end last. */
export const CLOSED_COUNTED = 50;

/** SQL: the columns of a ClosedBacklog, of the one row that it returns, but for the last. */
const closedBacklogSql = (webhooks: string, deliveries: string, more = ''): string => `
  with closed as materialized (
    select w.id, w.closed_until
    from (select * from ${webhooks} w where w.active and w.closed_until > now()
          order by w.closed_until desc limit ${CLOSED_COUNTED}) w
    where exists (
      select from ${deliveries} d
      where d.webhook_id = w.id and d.status = 'PENDING' and d.due_at <= now()))
  select (select count(*)::integer from (
            select from closed cross join lateral (
              select from ${deliveries} d where d.webhook_id = closed.id and d.status = 'PENDING' and d.due_at <= now()) d
            limit ${INSTALLATION_COUNT_MAX}) due) as due,
         (select count(*)::integer from closed) as webhooks, (select max(closed_until) from closed) as until ${more}`;

/** SQL that reads the tables themselves, as their owner. */
export const closedBacklogOfTablesSql = closedBacklogSql(
  `(select * from hookwright.webhooks where deleted_at is null)`,
  'hookwright.deliveries',
);

const statement: Statement = {
  name: 'read_closed_backlog',
  text: closedBacklogSql(
    'hookwright.all_webhooks',
    'hookwright.all_deliveries',
    `, ${oldestOtherSql('hookwright.all_deliveries', OLDEST_LOOKED)} as "oldestOtherDueAt"`,
  ),
};

/** Reads all tenants, through views that are empty for a tenant. */
export async function readClosedBacklog({ pool }: HasPool): Promise<ClosedBacklog> {
  const [row] = await tenantQuery<ClosedBacklog>(pool, null, statement, []);
  return row!;
}
