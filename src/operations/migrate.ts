import { MikroORM } from '@mikro-orm/postgresql';
import { runMigrations } from 'graphile-worker';
import pg from 'pg';
import { ormOptions } from '../database/database.js';
import { SQL_STATE, sqlStateOf } from '../database/sql-state.js';
import { API_ROLE } from '../database/tenant-database.js';
import { indexJobs, quietLogger } from './enqueue.js';
import { prepareOutboxRole } from './outbox.js';

const MIGRATION_LOCK = "hashtextextended('hookwright.migrate', 0)";

/**
 * Brings a database to the newest schema: graphile-worker's, then ours. Safe to run at any time and by several
 * processes at once: one does the work, the others wait for it.
 *
 * @param databaseUrl postgres:// of an existing database (15 or later) whose role may create schemas
 * @returns whether there is a role for the outbox: it is made here too, but nothing else needs it
 * @throws Error when the server is too old, the login lacks a right, or the database was made by a newer version
 */
export async function migrate(databaseUrl: string): Promise<{ outboxRole: boolean }> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'hookwright migrate' });
  client.on('error', () => {}); // it waits while others work: what it was needed for fails then, with a sentence
  await client.connect();
  try {
    await requirePostgres15(client);
    await client.query(`select pg_advisory_lock(${MIGRATION_LOCK})`);
    await runMigrations({ connectionString: databaseUrl, logger: quietLogger });
    await indexJobs(client);
    await makeApiRole(client);
    const orm = await MikroORM.init(ormOptions(databaseUrl, 2));
    try {
      await orm.migrator.up();
    } finally {
      await orm.close(true);
    }
    return { outboxRole: await prepareOutboxRole(client) };
  } catch (error) {
    throw sqlStateOf(error) === SQL_STATE.INSUFFICIENT_PRIVILEGE
      ? notTheOwner(client, error as Error)
      : error;
  } finally {
    await client.end(); // frees the lock
  }
}

function notTheOwner({ user, database }: pg.Client, { message }: Error): Error {
  return new Error(
    `The login "${user}" may not set up the database "${database}" (${message}). ` +
      `Make it its owner: alter database "${database}" owner to "${user}";`,
  );
}

async function requirePostgres15(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: number }>(
    "select current_setting('server_version_num')::int as version",
  );
  const major = Math.floor((rows[0]?.version ?? 0) / 10_000);
  if (major < 15) {
    throw new Error(`Postgres ${major} is too old: Hookwright needs Postgres 15 or later.`);
  }
}

/**
 * Makes the role that API processes work as. Roles belong to the whole server, so it may be there already, and whoever
 * migrates may lack the right to make one; then somebody who has it must have made it.
 */
async function makeApiRole(client: pg.Client): Promise<void> {
  try {
    await client.query(`
      do $$ begin
        -- Whoever may not make roles may not even ask for one that is there.
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
