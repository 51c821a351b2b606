import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { onPoolErrors, ormOptions } from '../../platform/database/database.js';
import { PrimaryClient } from '../../platform/database/driver/primary-client.js';
import { SQL_STATE, sqlStateOf } from '../../platform/database/driver/sql-state.js';
import { API_ROLE } from '../../platform/database/tenant-database.js';
import { runMigrations } from '../../platform/graphile-worker/library.js';
import { indexJobs, JOBS_SCHEMA, nameTasks, quietLogger } from '../../platform/graphile-worker/schema.js';
import { type OwnCell, readOwnCell } from '../cells/own-cell.js';
import { prepareOutboxRole } from '../emits/outbox.js';
import { ALIGN_TASK, BULK_TASK, DELIVER_GROUP_TASK, DELIVER_TASK, ERASE_TASK, TURN_TASK } from '../jobs/tasks.js';
import { troubleOfApiRights } from './api-rights.js';
import { missingTables, unknownMigrations } from './check-readiness.js';
import { enableCell, type WantedCell } from './enable-cell.js';
import { installFunctions } from './install-functions.js';
import { LOCK_MS, withLocks } from './lock-patience.js';

export const MIGRATED_BY_ANOTHER = 'Another process is migrating this database; waiting for it.';
const MIGRATION_LOCK = "hashtextextended('hookwright.migrate', 0)";

export const POSTGRES_MAJOR_MIN = 15;

/** Each gets its name in the schema of jobs. */
export const DELIVERY_TASKS = [DELIVER_TASK, DELIVER_GROUP_TASK, ALIGN_TASK, BULK_TASK, ERASE_TASK, TURN_TASK];

interface Migrated {
  /** Whether there is a role for the outbox: it is made here too, but nothing else needs it. */
  outboxRole: boolean;
  /** Parts of the schema that a newer version has made, and that stay as they are. */
  unknown: string[];
  /** Null: the installation is no cell. */
  cell: OwnCell | null;
}

/**
 * Brings a database to the newest schema: graphile-worker's, then ours, in three steps (docs/decisions/0071). One
 * process does the work, others wait for it.
 *
 * @param databaseUrl postgres:// of an existing database (POSTGRES_MAJOR_MIN or later) whose role may create schemas
 * @param onWait called when another process is just doing the work
 * @param cell makes the database this cell too, if it is none
 * @throws Error when the server is too old, the database is not in UTF-8, its tables were made by a build from before
 *   the first release, or the login or the API's role lacks a right
 */
export async function migrate(
  databaseUrl: string,
  onWait: () => void = () => {},
  cell: WantedCell | null = null,
): Promise<Migrated> {
  const client = new PrimaryClient({ connectionString: databaseUrl, application_name: 'hookwright migrate' });
  client.on('error', () => {}); // it waits while others work: what it was needed for fails then, with a sentence
  await client.connect();
  try {
    await requireServer(client);
    await lockMigrations(client, onWait);
    const missing = await missingTables({ pool: client });
    await migrateJobs(databaseUrl);
    await indexJobs(client);
    await nameTasks(client, DELIVERY_TASKS);
    await makeApiRole(client);
    if (missing.length > 0) {
      await migrateTables(databaseUrl);
    }
    await installFunctions(client);
    const ownCell = cell === null ? await readOwnCell(client) : await enableCell(client, cell);
    const trouble = await troubleOfApiRights(client);
    if (trouble !== null) {
      throw new Error(trouble);
    }
    return {
      outboxRole: await prepareOutboxRole(client),
      unknown: await unknownMigrations({ pool: client }),
      cell: ownCell,
    };
  } catch (error) {
    throw sqlStateOf(error) === SQL_STATE.INSUFFICIENT_PRIVILEGE ? notTheOwner(client, error as Error) : error;
  } finally {
    await client.end(); // frees the lock
  }
}

async function migrateJobs(connectionString: string): Promise<void> {
  const pgPool = new pg.Pool({ connectionString, max: 1, Client: PrimaryClient as never });
  onPoolErrors(pgPool, () => {}); // the statement fails
  try {
    await runMigrations({ pgPool, schema: JOBS_SCHEMA, logger: quietLogger });
  } finally {
    await pgPool.end();
  }
}

async function lockMigrations(client: pg.Client, onWait: () => void): Promise<void> {
  const { rows } = await client.query<{ locked: boolean }>(`select pg_try_advisory_lock(${MIGRATION_LOCK}) as locked`);
  if (rows[0]?.locked !== true) {
    onWait();
    await client.query(`select pg_advisory_lock(${MIGRATION_LOCK})`);
  }
}

/** Each migration has a transaction, which may take as long as the tables are large. */
async function migrateTables(databaseUrl: string): Promise<void> {
  const options = ormOptions(databaseUrl, 2);
  const patient = { statement_timeout: 0, query_timeout: 0, idle_in_transaction_session_timeout: 0 };
  const orm = await MikroORM.init({
    ...options,
    entities: [], // a migration is SQL
    discovery: { warnWhenNoEntities: false },
    driverOptions: { ...options.driverOptions, ...patient, lock_timeout: LOCK_MS },
  });
  try {
    await withLocks(() => orm.migrator.up());
  } finally {
    await orm.close(true);
  }
}

function notTheOwner({ user, database }: pg.Client, { message }: Error): Error {
  return new Error(
    `The login "${user}" may not set up the database "${database}" (${message}). ` +
      `Make it its owner: alter database "${database}" owner to "${user}";`,
  );
}

/** @throws Error when the server or the encoding of the database does not do */
export async function requireServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: number; encoding: string }>(
    "select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding",
  );
  const { version = 0, encoding = '' } = rows[0] ?? {};
  const major = Math.floor(version / 10_000);
  if (major < POSTGRES_MAJOR_MIN) {
    throw new Error(`Postgres ${major} is too old: Hookwright needs Postgres ${POSTGRES_MAJOR_MIN} or later.`);
  }
  if (encoding !== 'UTF8') {
    throw new Error(
      `The database has the encoding ${encoding}, which not every payload can be written in. Make one with: create database <name> encoding 'UTF8' template template0.`,
    );
  }
}

/**
 * Makes the role that API processes work as. Roles belong to the whole server, so it may be there already, and the
 * login that migrates may lack the right to make one; then an administrator must have made it.
 */
async function makeApiRole(client: pg.Client): Promise<void> {
  try {
    await client.query(`
      do $$ begin
        -- A login that may not make roles gets an error even for one that exists.
        if not exists (select from pg_roles where rolname = '${API_ROLE}') then
          create role ${API_ROLE} nologin;
        end if;
      exception when duplicate_object then null;
      end $$`);
    await client.query(`
      do $$ begin
        set local role ${API_ROLE};
        reset role;
      exception when insufficient_privilege then
        grant ${API_ROLE} to current_user;
      end $$`);
  } catch (error) {
    if (sqlStateOf(error) !== SQL_STATE.INSUFFICIENT_PRIVILEGE) {
      throw error;
    }
    const user = `"${client.user}"`;
    const { rowCount } = await client.query('select from pg_roles where rolname = $1', [API_ROLE]);
    const make = rowCount === 0 ? `create role ${API_ROLE} nologin; ` : '';
    throw new Error(
      `The API works as the role ${API_ROLE}, which ${user} may not ${make === '' ? 'use' : 'make or use'}. ` +
        `Have an administrator run: ${make}grant ${API_ROLE} to ${user};`,
    );
  }
}
