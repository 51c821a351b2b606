import { CLOSED_COUNTED } from '../../domain/deliveries/health-limits.js';
import type { HasPool, Statement } from '../../platform/database/database.js';
import { tenantQuery } from '../../platform/database/tenant-database.js';
import type { ClosedBacklog } from '../explorer/read-backlog.js';
import { OLDEST_LOOKED, oldestOtherSql } from './oldest-other.js';
import { INSTALLATION_COUNT_MAX } from './open-deliveries.js';

/** SQL: the columns of a ClosedBacklog, of the one row that it returns, but for the last. */
const closedBacklogSql = (webhooks: string, deliveries: string, more = ''): string => `
  with closed as materialized (
    select w.closed_until, counted.due
    from (select * from ${webhooks} w where w.active and w.closed_until > now()
          order by w.closed_until desc limit ${CLOSED_COUNTED}) w
    cross join lateral (
      select count(*)::integer as due from (
        select from ${deliveries} d
        where d.webhook_id = w.id and d.status = 'PENDING' and d.due_at <= now() limit ${INSTALLATION_COUNT_MAX}) d) counted
    where counted.due > 0)
  select least(coalesce(sum(due), 0), ${INSTALLATION_COUNT_MAX})::integer as due, count(*)::integer as webhooks,
         max(closed_until) as until ${more}
  from closed`;

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
