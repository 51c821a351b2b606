import type pg from 'pg';
import type { Search } from './search-parts.js';

/** Webhooks and tenants that emits treat as if they had other options. A trigger prevents it (docs/decisions/0056). */

/** The rule of `is_plain`, also in an index. */
const isFlowSql = `(filter_path is not null or content_id is not null or ordering_by <> 'NONE')`;
const knownSql = `
  select webhook_id as id from hookwright.webhook_options where ${isFlowSql}
  union all select id from hookwright.webhooks where not plain`;
const isWrongWebhookSql = (id: string) =>
  `(select w.plain <> hookwright.is_plain(w.id) from hookwright.webhooks w where w.id = ${id})`;
/** Each tenant is looked up: for "exists" a plan may read all webhooks with options. */
const isWrongTenantSql = (tenant: string) => `
  ${tenant}.uses_flow = ((
    select true from hookwright.webhooks w where w.tenant_id = ${tenant}.id and not w.plain limit 1) is null)`;

const ofWebhooks = (table: string, id: string, where: string) => ({
  table,
  where,
  columns: id,
  order: { [id]: 'bigint' } as const,
  key: { [id]: 'bigint' } as const,
  isFault: isWrongWebhookSql(`looked.${id}`),
});

/** A wrong webhook is in one of both indexes. A union of them would be read as a whole, to be sorted. */
export const ignoredFilters = {
  filters: ofWebhooks('hookwright.webhook_options', 'webhook_id', isFlowSql),
  formerFilters: ofWebhooks('hookwright.webhooks', 'id', 'not plain'),
  filterTenants: {
    table: 'hookwright.tenants',
    where: 'true',
    columns: 'id, uses_flow',
    order: { id: 'bigint' },
    key: { id: 'bigint' },
    isFault: isWrongTenantSql('looked'),
    partRows: 350, // two blocks each
  },
} satisfies Record<string, Search>;

/** @returns how many were corrected */
export async function repairIgnoredFilters(pool: pg.Pool): Promise<number> {
  const webhooks = await pool.query(
    `update hookwright.webhooks w set plain = not w.plain
     where w.id in (select id from (${knownSql}) known where ${isWrongWebhookSql('known.id')})`,
  );
  const tenants = await pool.query(
    `update hookwright.tenants t set uses_flow = not t.uses_flow where ${isWrongTenantSql('t')}`,
  );
  return (webhooks.rowCount ?? 0) + (tenants.rowCount ?? 0);
}
