import { INSTALLATION_TENANT } from '../../domain/installation/installation-tenant.js';
import type { Statement } from '../../platform/database/database.js';
import { PLATFORM } from '../../platform/database/tenant-database.js';
import { type SearchDeps, search } from '../explorer/search.js';
import { ATTEMPTS, DUE_LOOKED, FAILURES, nearestSql, type Ranking } from './top-webhooks.js';

/** The figure by which tenants are ranked; the largest first. */
export type TenantRanking = Exclude<Ranking, 'LATENCY'>;

/** SQL: tenants by the sums of the webhooks nearest to the top. $1: since, $2: how many. */
const bySumSql = (nearest: string) => `
  with ${nearest}
  select w.tenant_id as id
  from nearest r cross join lateral (
    select tenant_id from hookwright.all_webhooks w
    where w.id = r.webhook_id and w.tenant_id > ${INSTALLATION_TENANT} offset 0) w
  group by 1 order by sum(r.least) desc, 1 limit $2`;

/** SQL: tenants by the deliveries that have waited longest. $1 is for the others alone. */
const byDueSql = (order: string) => `
  select tenant_id as id
  from (select tenant_id, due_at from hookwright.all_deliveries
        where status = 'PENDING' and due_at <= now() order by due_at limit ${DUE_LOOKED}) due
  where tenant_id > ${INSTALLATION_TENANT} and $1::timestamptz is not null
  group by 1 order by ${order}, 1 limit $2`;

const statements = {
  FAILURES: { name: 'top_tenants_by_failures', text: bySumSql(nearestSql(FAILURES, 1_000)) },
  ATTEMPTS: { name: 'top_tenants_by_attempts', text: bySumSql(nearestSql(ATTEMPTS, 100)) },
  BACKLOG: { name: 'top_tenants_by_backlog', text: byDueSql('count(*) desc') },
  WAIT: { name: 'top_tenants_by_wait', text: byDueSql('min(due_at)') },
} as const satisfies Record<TenantRanking, Statement>;

/**
 * The tenants that stand out since a moment, by the webhooks and deliveries nearest to the top: figures of others are
 * not added up.
 *
 * @returns their ids, the first one first
 * @throws ApiError search_timed_out
 */
export async function rankTenants(
  deps: SearchDeps,
  { by, since, first }: { by: TenantRanking; since: Date; first: number },
): Promise<number[]> {
  const what = { what: 'ranking of tenants', advice: 'Ask for a shorter time, with since.' };
  const rows = await search<{ id: number }>(deps, PLATFORM, statements[by], [since, first], what);
  return rows.map(({ id }) => id);
}
