import type pg from 'pg';
import { query, type SqlTarget } from '../../platform/database/database.js';

/** The id of a new row, for values that are made before the row and contain its id. */
export async function allocateId(
  pool: pg.Pool,
  table: 'tenants' | 'webhooks' | 'api_keys' | 'notice_recipients',
): Promise<number> {
  const statement = { name: `next_id_of_${table}`, text: `select nextval('hookwright.${table}_id_seq') as id` };
  const [allocated] = await query<{ id: number }>(pool, statement, []);
  return allocated!.id;
}

const nextVersionStatement = { text: `select nextval('hookwright.options_version') as version` };

/** Another number for each change of a webhook's options row. */
export async function nextOptionsVersion(sql: SqlTarget): Promise<number> {
  const [next] = await query<{ version: number | string }>(sql, nextVersionStatement, []);
  return Number(next!.version);
}

const clockStatement = { text: 'select hookwright.id_at(hookwright.id_clock()) as id' };

/**
 * The time of now as an id, by the clock of Postgres, for what is done to all before it. It is no id that `next_id`
 * could make: with cells that says a time up to 256 ms away.
 */
export async function idOfNow(sql: SqlTarget): Promise<number> {
  const [now] = await query<{ id: number | string }>(sql, clockStatement, []);
  return Number(now!.id);
}
