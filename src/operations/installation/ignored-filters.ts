import type pg from 'pg';

/** Webhooks and tenants that emits treat as if they had other options. A trigger prevents it (docs/decisions/0056). */

const wrongWebhooksSql = `
  select w.id, not w.plain as plain from hookwright.webhooks w where w.plain <> hookwright.is_plain(w.id)`;

const isWrongTenantSql =
  't.uses_flow <> exists (select from hookwright.webhooks w where w.tenant_id = t.id and not w.plain)';

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
