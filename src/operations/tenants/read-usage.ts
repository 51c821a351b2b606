import { Tenant } from '../../entities/tenant.js';
import type { HasOrm, HasPool, Statement } from '../../platform/database/database.js';
import { tenantEntityManager, tenantQuery, UNFILTERED } from '../../platform/database/tenant-database.js';
import { type Backlog, backlogOfTenantSql, TENANT_COUNT_MAX } from '../explorer/read-backlog.js';

type Db = HasPool;

/** The existing tenants among these, for any caller. */
export const readTenants = ({ orm }: HasOrm, ids: readonly number[]): Promise<Tenant[]> =>
  tenantEntityManager(orm.em, null).find(Tenant, { id: { $in: [...ids] }, deletedAt: null }, UNFILTERED);

const countStatement: Statement = {
  name: 'count_webhooks_of_tenants',
  text: `
    select tenant_id as id, count(*)::integer as webhooks from hookwright.all_webhooks
    where tenant_id = any($1::bigint[]) group by 1`,
};

/** How many webhooks each tenant has; tenants without one are left out. */
export async function countWebhooksOfTenants({ pool }: Db, ids: readonly number[]): Promise<Map<number, number>> {
  const rows = await tenantQuery<{ id: number; webhooks: number }>(pool, null, countStatement, [[...ids]]);
  return new Map(rows.map(({ id, webhooks }) => [id, webhooks]));
}

const backlogStatement: Statement = {
  name: 'read_backlogs_of_tenants',
  text: `
    select t.id, b.* from unnest($1::bigint[]) as t(id) cross join lateral (
      ${backlogOfTenantSql({
        tenantId: 't.id',
        deliveries: 'all_deliveries',
        queue: 'all_ordering_queue',
        webhooks: 'select id from hookwright.all_webhooks where tenant_id = t.id',
      })}
    ) as b`,
};

/** The backlog of all webhooks of each tenant together. */
export async function readBacklogsOfTenants({ pool }: Db, ids: readonly number[]): Promise<Map<number, Backlog>> {
  const rows = await tenantQuery<Backlog & { id: number }>(pool, null, backlogStatement, [[...ids]]);
  return new Map(rows.map(({ id, ...backlog }) => [id, { ...backlog, countMax: TENANT_COUNT_MAX }]));
}
