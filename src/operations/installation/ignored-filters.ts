import type pg from 'pg';

/** Webhooks and tenants that emits treat as if they had other options. A trigger prevents it (docs/decisions/0056). */

/** Few webhooks have options, and the others are plain: a report looks every 15 seconds. */
const wrongWebhooksSql = `
  select w.id, not w.plain as plain
  from (select webhook_id as id from hookwright.webhook_options
        union select id from hookwright.webhooks where not plain) known
  join hookwright.webhooks w on w.id = known.id
  where w.plain <> hookwright.is_plain(w.id)`;

const isWrongTenantSql = 't.uses_flow <> (t.id in (select w.tenant_id from hookwright.webhooks w where not w.plain))';

/** SQL: their number. */
export const ignoredFiltersSql = `(
  (select count(*)::integer from (${wrongWebhooksSql}) wrong)
  + (select count(*)::integer from hookwright.tenants t where ${isWrongTenantSql}))`;

/** @returns how many were corrected */
export async function repairIgnoredFilters(pool: pg.Pool): Promise<number> {
  const webhooks = await pool.query(
    `update hookwright.webhooks w set plain = wrong.plain from (${wrongWebhooksSql}) wrong where w.id = wrong.id`,
  );
  const tenants = await pool.query(
    `update hookwright.tenants t set uses_flow = not t.uses_flow where ${isWrongTenantSql}`,
  );
  return (webhooks.rowCount ?? 0) + (tenants.rowCount ?? 0);
}
