import type pg from 'pg';
import { edition } from '../../../migrations/edition.js';
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

/**
 * @returns the tables' migrations, by name
 * @throws what the database throws, within seconds; Error with a sentence for tables from before the first release
 */
export async function missingTables(db: Asked): Promise<string[]> {
  const done = await doneMigrations(db);
  return migrations.map(({ name }) => name).filter((name) => !done.has(name));
}

/** @throws as missingTables */
export async function missingMigrations(db: Asked): Promise<string[]> {
  const missing = await missingTables(db);
  return ['OLDER', 'UNFINISHED'].includes(await judgeEdition(db)) ? [...missing, nameOf(edition().number)] : missing;
}

const nameOf = (number: number) => `functions (edition ${number})`;

export function lackOf(missing: readonly string[]): string {
  return missing.includes(migrations[0]!.name)
    ? 'The database has no schema yet'
    : `The database lacks ${missing.join(', ')}`;
}

/** @param unknown of unknownMigrations, at least one */
export const newerThan = (unknown: readonly string[]): string =>
  `A newer version has migrated the database (${unknown.join(', ')}).`;

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
  const unknown = [...(await doneMigrations(db))].filter((name) => !known.has(name));
  const found = await readEdition(db);
  return found !== undefined && found.number > edition().number ? [...unknown, nameOf(found.number)] : unknown;
}

/**
 * Compares the functions of a database with those of this version.
 *
 * @returns UNFINISHED: they are installed, and the last step is still to do
 */
export async function judgeEdition(db: Asked): Promise<'OLDER' | 'UNFINISHED' | 'SAME' | 'NEWER'> {
  const { number, functionsDigest, lastStepDigest } = edition();
  const found = await readEdition(db);
  if (found !== undefined && found.number > number) {
    return 'NEWER';
  }
  if (found?.number !== number || found.functions !== functionsDigest) {
    return 'OLDER';
  }
  return found.lastStep === lastStepDigest ? 'SAME' : 'UNFINISHED';
}

interface InstalledEdition {
  number: number;
  functions: string;
  lastStep: string | null;
}

async function readEdition(db: Asked): Promise<InstalledEdition | undefined> {
  const rows = await rowsOf<InstalledEdition>(
    db,
    'select number, functions, last_step as "lastStep" from hookwright.edition',
  );
  return rows[0];
}

async function doneMigrations(db: Asked): Promise<Set<string>> {
  const rows = await rowsOf<{ name: string }>(db, 'select name from hookwright.migrations');
  const done = new Set(rows.map(({ name }) => name));
  if (done.size > 0 && !done.has(migrations[0]!.name)) {
    throw new Error(UNRELEASED);
  }
  return done;
}

/** No rows where the table is still to be made. */
async function rowsOf<Row extends pg.QueryResultRow>({ pool }: Asked, text: string): Promise<Row[]> {
  const statement = { text, query_timeout: READINESS_TIMEOUT_MS };
  const { rows } = await pool.query<Row>(statement).catch((error: unknown) => {
    if (sqlStateOf(error) === SQL_STATE.UNDEFINED_TABLE) {
      return { rows: [] };
    }
    throw error;
  });
  return rows;
}
