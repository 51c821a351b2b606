import type pg from 'pg';
import { migrations } from '../../../migrations/index.js';
import { POOLER_ADVICE } from '../../platform/database/connection-trouble.js';
import { SQL_STATE, sqlStateOf } from '../../platform/database/driver/sql-state.js';
import { JOBS_SCHEMA } from '../../platform/graphile-worker/schema.js';
import { thisProgram } from '../../platform/node/this-program.js';

const READINESS_TIMEOUT_MS = 3_000;

/** Builds before the first release have made tables by other migrations. */
const UNRELEASED =
  'The tables of this database were made by a build of Hookwright from before its first release, ' +
  'and this version cannot take them over. Export what you need with that build. Then start with a new data folder ' +
  `(DATA_DIR); or, in a database of your own, run: drop schema hookwright, ${JOBS_SCHEMA} cascade;`;

/** A database, or one connection to it. */
interface Asked {
  pool: Pick<pg.ClientBase, 'query'>;
}

/** @throws what the database throws, within seconds; Error with a sentence for tables from before the first release */
export async function missingMigrations(db: Asked): Promise<string[]> {
  const done = await doneMigrations(db);
  return migrations.map(({ name }) => name).filter((name) => !done.has(name));
}

export function lackOf(missing: readonly string[]): string {
  return missing.length === migrations.length
    ? 'The database has no schema yet'
    : `The database lacks ${missing.join(', ')}`;
}

/** @throws Error with a sentence when it lacks one */
export async function requireMigrated(db: Asked): Promise<void> {
  const missing = await missingMigrations(db);
  if (missing.length > 0) {
    throw new Error(`${lackOf(missing)}: run "${thisProgram} migrate" first.`);
  }
}

/**
 * @param role that connections ask for when they begin
 * @throws Error with a sentence when they do not get it: without it nothing would keep tenants apart but our own
 *   queries
 */
export async function requireConnectedAs({ pool }: Asked, role: string): Promise<void> {
  const { rows } = await pool.query<{ name: string }>('select current_user as name');
  if (rows[0]?.name !== role) {
    throw new Error(`Connections should work as the role ${role}, and work as ${rows[0]?.name}. ${POOLER_ADVICE}`);
  }
}

/** The migrations of a newer version. */
export async function unknownMigrations(db: Asked): Promise<string[]> {
  const known = new Set(migrations.map(({ name }) => name));
  return [...(await doneMigrations(db))].filter((name) => !known.has(name));
}

async function doneMigrations({ pool }: Asked): Promise<Set<string>> {
  const statement = { text: 'select name from hookwright.migrations', query_timeout: READINESS_TIMEOUT_MS };
  const { rows } = await pool.query<{ name: string }>(statement).catch((error: unknown) => {
    if (sqlStateOf(error) === SQL_STATE.UNDEFINED_TABLE) {
      return { rows: [] }; // nothing was migrated yet
    }
    throw error;
  });
  const done = new Set(rows.map(({ name }) => name));
  if (done.size > 0 && !done.has(migrations[0]!.name)) {
    throw new Error(UNRELEASED);
  }
  return done;
}
