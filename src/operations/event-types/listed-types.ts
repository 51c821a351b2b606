import type { HasPool, Statement } from '../../platform/database/database.js';
import { tenantQuery } from '../../platform/database/tenant-database.js';
import type { RegisteredEventType } from './event-type-registry.js';

const ofTenant: Statement = {
  name: 'types_that_webhooks_name',
  text: `select distinct t.name from hookwright.webhooks w cross join unnest(w.event_types) as t(name)
         where w.tenant_id = $2 and w.deleted_at is null and t.name = any($1)`,
};
const ofAll: Statement = {
  name: 'types_that_webhooks_of_all_name',
  text: `select distinct t.name from hookwright.all_webhooks w cross join unnest(w.event_types) as t(name)
         where t.name = any($1)`,
};

/**
 * The event types without hidden ones that no webhook names. With `*` a webhook names none.
 *
 * @param tenantId whose webhooks count; null: those of all tenants
 */
export async function listedTypes(
  { pool }: HasPool,
  all: readonly RegisteredEventType[],
  tenantId: number | null,
): Promise<readonly RegisteredEventType[]> {
  const hidden = all.filter(({ hiddenAt }) => hiddenAt !== null).map(({ name }) => name);
  if (hidden.length === 0) {
    return all;
  }
  const [statement, more] = tenantId === null ? [ofAll, []] : [ofTenant, [tenantId]];
  const rows = await tenantQuery<{ name: string }>(pool, tenantId, statement, [hidden, ...more]);
  const named = new Set(rows.map(({ name }) => name));
  return all.filter(({ name, hiddenAt }) => hiddenAt === null || named.has(name));
}
