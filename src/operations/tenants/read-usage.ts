import { Tenant } from '../../entities/tenant.js';
import type { HasOrm, HasPool, Statement } from '../../platform/database/database.js';
import { tenantEntityManager, tenantQuery, UNFILTERED } from '../../platform/database/tenant-database.js';
import { type Backlog, backlogOfTenantSql, countWaitingSql, IDS, TENANT_COUNT_MAX } from '../explorer/read-backlog.js';

type Db = HasPool;

const ofAll = { deliveries: 'all_deliveries', queue: 'all_ordering_queue' };

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

/** So many pending and so many held deliveries are read in one walk for all tenants; else those of each tenant. */
const FEW_OPEN = 5_000;

const openSql = (columns: string, status: 'PENDING' | 'HELD') => `
  select ${columns} from hookwright.all_deliveries d
  where d.webhook_id = any(${IDS}) and d.status = '${status}' limit ${FEW_OPEN}`;
const countedSql = (which: string) => `least(${TENANT_COUNT_MAX}, count(*) filter (where ${which}))::integer`;

const backlogStatement: Statement = {
  name: 'read_backlogs_of_tenants',
  text: `
    with own as materialized (
      select tenant_id, id from hookwright.all_webhooks where tenant_id = any($1::bigint[])),
    ids as materialized (select array(select id from own order by id) as ids),
    pending as materialized (${openSql('d.webhook_id, d.due_at', 'PENDING')}),
    held as materialized (${openSql('d.webhook_id', 'HELD')}),
    whole as materialized (
      select (select count(*) from pending) < ${FEW_OPEN} and (select count(*) from held) < ${FEW_OPEN} as is_so)
    select t.id, coalesce(p.due, 0) as due, p.oldest as "oldestDueAt", coalesce(p.scheduled, 0) as scheduled,
           coalesce(h.held, 0) as held,
           ${countWaitingSql('q.tenant_id = t.id', TENANT_COUNT_MAX, ofAll)} as waiting
    from unnest($1::bigint[]) as t(id)
    left join (
      select tenant_id, ${countedSql('due_at <= now()')} as due, ${countedSql('due_at > now()')} as scheduled,
             min(due_at) filter (where due_at <= now()) as oldest
      from pending join own on own.id = pending.webhook_id group by 1) p on p.tenant_id = t.id
    left join (
      select tenant_id, ${countedSql('true')} as held from held join own on own.id = held.webhook_id group by 1
    ) h on h.tenant_id = t.id
    where (select is_so from whole)
    union all
    select t.id, b.* from unnest($1::bigint[]) as t(id) cross join lateral (
      ${backlogOfTenantSql({ ...ofAll, tenantId: 't.id', webhooks: 'select id from own where own.tenant_id = t.id' })}
    ) as b where not (select is_so from whole)`,
};

/** The backlog of all webhooks of each tenant together. */
export async function readBacklogsOfTenants({ pool }: Db, ids: readonly number[]): Promise<Map<number, Backlog>> {
  const rows = await tenantQuery<Backlog & { id: number }>(pool, null, backlogStatement, [[...ids]]);
  return new Map(rows.map(({ id, ...backlog }) => [id, { ...backlog, countMax: TENANT_COUNT_MAX }]));
}
