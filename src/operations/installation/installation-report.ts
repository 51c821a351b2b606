import type pg from 'pg';
import { type HasPool, query, type Statement } from '../../platform/database/database.js';
import { tenantQuery } from '../../platform/database/tenant-database.js';

const madeStatement: Statement = {
  name: 'read_report_age',
  text: `select extract(epoch from clock_timestamp() - made_at)::float8 as age from hookwright.installation_report`,
};

const writeStatement: Statement = {
  name: 'write_report',
  text: `
    insert into hookwright.installation_report (report) values ($1)
    on conflict (only_row) do update set report = excluded.report, made_at = now()`,
};

/** Makes the installation's report again once it is this old. Two daemons that do it at once do no harm. */
export async function renewReport(pool: pg.Pool, ageSeconds: number, make: () => Promise<unknown>): Promise<void> {
  const [made] = await query<{ age: number }>(pool, madeStatement, []);
  if (made === undefined || made.age >= ageSeconds) {
    await query(pool, writeStatement, [JSON.stringify(await make())]);
  }
}

const readStatement: Statement = {
  name: 'read_report',
  text: `
    select report, made_at as "madeAt", extract(epoch from clock_timestamp() - made_at)::float8 as "ageSeconds"
    from hookwright.installation_report`,
};

/** The newest report as it was written, in JSON; null when no daemon has made one yet. */
export async function readReport({
  pool,
}: HasPool): Promise<{ report: string; madeAt: Date; ageSeconds: number } | null> {
  const [row] = await tenantQuery<{ report: string; madeAt: Date; ageSeconds: number }>(pool, null, readStatement, []);
  return row ?? null;
}
