import { query, type SqlTarget, type Statement } from '../../../platform/database/database.js';

const keysOf = (condition: string) => `
  select id from hookwright.api_keys k
  where ${condition} and k.revoked_at is null and coalesce(k.expires_at > now(), true)`;

const routesStatement: Statement = {
  text: `
    with moving as materialized (
      select m.tenant_id from hookwright.tenant_moves m
      where m.direction = 'OUT' and m.state in ('CLOSED', 'COMMITTING')),
    lines as (
      select 't' as kind, tenant_id as number, cell::text as cell from hookwright.moved_tenants
      union all select 'k', key_id, cell::text from hookwright.moved_keys
      union all select 't', tenant_id, 'hold' from moving
      union all select 'k', k.id, 'hold' from (${keysOf('k.tenant_id in (select tenant_id from moving)')}) k)
    select kind || number || ' ' || cell as line from lines order by kind desc, number`,
};

/** The lines of moved.map that this cell knows of: docs/cells.md. */
export async function routeLines(sql: SqlTarget): Promise<string[]> {
  return (await query<{ line: string }>(sql, routesStatement, [])).map(({ line }) => line);
}

const movedStatement: Statement = {
  text: 'select tenant_id::float8 as id, cell from hookwright.moved_tenants',
};

/** The cells of tenants that have moved away from here. */
export async function movedTenants(sql: SqlTarget): Promise<ReadonlyMap<number, number>> {
  const rows = await query<{ id: number; cell: number }>(sql, movedStatement, []);
  return new Map(rows.map(({ id, cell }) => [id, cell]));
}

const keysStatement: Statement = { text: `${keysOf('k.tenant_id = $1')} order by id` };

/** The lines of one tenant. @param where the number of a cell, or `hold` */
export async function linesOf(sql: SqlTarget, tenantId: number, where: number | 'hold'): Promise<string[]> {
  const keys = await query<{ id: string }>(sql, keysStatement, [tenantId]);
  return [`t${tenantId} ${where}`, ...keys.map(({ id }) => `k${id} ${where}`)];
}
