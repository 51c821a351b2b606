import { migrations } from '../../migrations/index.js';
import type { Database } from '../database.js';
import { SQL_STATE, sqlStateOf } from '../sql-state.js';

const READINESS_TIMEOUT_MS = 3_000;

/**
 * Asks the database which migrations it has.
 *
 * @returns the names of those that it lacks, none when it is ready
 * @throws what the database throws when it cannot be reached, within a few seconds
 */
export async function missingMigrations(db: Pick<Database, 'pool'>): Promise<string[]> {
  const done = await doneMigrations(db);
  return migrations.map(({ name }) => name).filter((name) => !done.has(name));
}

/** @returns the names of those that the database has and this version does not know: a newer one has migrated it */
export async function unknownMigrations(db: Pick<Database, 'pool'>): Promise<string[]> {
  const known = new Set(migrations.map(({ name }) => name));
  return [...(await doneMigrations(db))].filter((name) => !known.has(name));
}

async function doneMigrations({ pool }: Pick<Database, 'pool'>): Promise<Set<string>> {
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
  return done;
}
