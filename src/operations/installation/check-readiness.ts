import type pg from 'pg';
import { migrations } from '../../../migrations/index.js';
import { POOLER_ADVICE } from '../../database/connection-trouble.js';
import { SQL_STATE, sqlStateOf } from '../../database/driver/sql-state.js';
import { JOBS_SCHEMA } from '../../graphile-worker/schema.js';

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

/**
 * Asks the database which migrations it has.
 *
 * @returns the names of the missing ones; none when the database is ready
 * @throws what the database throws when it cannot be reached, within a few seconds; Error with a sentence when a build
 *   from before the first release has made its tables
 */
export async function missingMigrations(db: Asked): Promise<string[]> {
  const done = await doneMigrations(db);
  return migrations.map(({ name }) => name).filter((name) => !done.has(name));
}

/** A sentence about the missing migrations; all their names would help nobody. */
export function lackOf(missing: readonly string[]): string {
  return missing.length === migrations.length
    ? 'The database has no schema yet'
    : `The database lacks ${missing.join(', ')}`;
}

/** @throws Error with a sentence when it lacks one */
export async function requireMigrated(db: Asked): Promise<void> {
  const missing = await missingMigrations(db);
  if (missing.length > 0) {
    throw new Error(`${lackOf(missing)}: run "hookwright migrate" first.`);
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

/** @returns the migrations of a newer version, which this one does not know */
export async function unknownMigrations(db: Asked): Promise<string[]> {
  const known = new Set(migrations.map(({ name }) => name));
  return [...(await doneMigrations(db))].filter((name) => !known.has(name));
}

async function doneMigrations({ pool }: Asked): Promise<Set<string>> {
  const statement = {
    text: `select name from hookwright.migrations`,
    query_timeout: READINESS_TIMEOUT_MS,
  };
  const done = new Set<string>();
  try {
    for (const { name } of (await pool.query<{ name: string }>(statement)).rows) {
      done.add(name);
    }
  } catch (error) {
    // Nothing was migrated yet: the table of migrations itself is missing.
    if (sqlStateOf(error) !== SQL_STATE.UNDEFINED_TABLE) {
      throw error;
    }
  }
  if (done.size > 0 && !done.has(migrations[0]!.name)) {
    throw new Error(UNRELEASED);
  }
  return done;
}
