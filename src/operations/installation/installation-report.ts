import type pg from 'pg';
import { type HasPool, query, type Statement } from '../../platform/database/database.js';
import { tenantQuery } from '../../platform/database/tenant-database.js';
import type { Installation } from './read-installation.js';

const madeStatement: Statement = {
  name: 'read_report_age',
  text: `select report, extract(epoch from clock_timestamp() - made_at)::float8 as age from hookwright.installation_report`,
};

const writeStatement: Statement = {
  name: 'write_report',
  text: `
    insert into hookwright.installation_report (report) values ($1)
    on conflict (only_row) do update set report = excluded.report, made_at = now()`,
};

/**
 * Makes the installation's report again once it is this old. Two daemons that do it at once do no harm.
 *
 * @param make gets the report before, of whatever version of the service
 */
export async function renewReport<Report>(
  pool: pg.Pool,
  ageSeconds: number,
  make: (before: Partial<Report>) => Promise<Report>,
): Promise<void> {
  const [made] = await query<{ report: string; age: number }>(pool, madeStatement, []);
  if (made === undefined || made.age >= ageSeconds) {
    await query(pool, writeStatement, [JSON.stringify(await make(JSON.parse(made?.report ?? '{}')))]);
  }
}

/** Without a daemon that renews it, it says nothing any more. */
const REPORTED_SECONDS = 60;

const installationStatement: Statement = {
  name: 'read_reported_installation',
  text: `
    select report::json -> 'installation' as installation from hookwright.installation_report
    where made_at > now() - interval '${REPORTED_SECONDS} s'`,
};

/**
 * The state of the installation in the newest report, as its owner; null when it is old.
 *
 * @throws what the database throws
 */
export async function readReportedInstallation(pool: pg.Pool): Promise<Installation | null> {
  const [row] = await query<{ installation: Installation }>(pool, installationStatement, []);
  if (row === undefined) {
    return null;
  }
  const { housekeeping, ...figures } = row.installation;
  const dateOf = (time: Date | null) => time && new Date(time); // JSON has texts
  const times = { startedAt: dateOf(housekeeping.startedAt), succeededAt: dateOf(housekeeping.succeededAt) };
  return { ...figures, housekeeping: { ...housekeeping, ...times } };
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
