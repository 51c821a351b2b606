import type pg from 'pg';
import { query, type SqlTarget } from '../../database/database.js';

const statements = {
  tenants: { name: 'next_tenant_id', text: "select nextval('hookwright.tenants_id_seq') as id" },
  webhooks: { name: 'next_webhook_id', text: "select nextval('hookwright.webhooks_id_seq') as id" },
  api_keys: { name: 'next_api_key_id', text: "select nextval('hookwright.api_keys_id_seq') as id" },
} as const;

/** The id of a new row, for values that are made before the row and contain its id. */
export async function allocateId(pool: pg.Pool, table: keyof typeof statements): Promise<number> {
  const [allocated] = await query<{ id: number }>(pool, statements[table], []);
  return allocated!.id;
}

const nextStatement = { text: 'select hookwright.next_id() as id' };

/** The id that an event or a delivery would get now, by the clock of Postgres: later than all existing ones. */
export async function nextId(sql: SqlTarget): Promise<number> {
  const [next] = await query<{ id: number | string }>(sql, nextStatement, []);
  return Number(next!.id);
}
