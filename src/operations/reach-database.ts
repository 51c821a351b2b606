import pg from 'pg';
import { connectionTrouble } from '../database/connection-trouble.js';
import { SQL_STATE, sqlStateOf } from '../database/sql-state.js';
import { API_ROLE } from '../database/tenant-database.js';
import { requireMigrated } from './check-readiness.js';

const LIMIT_MS = 5_000;

/** What a process wants of the login of DATABASE_URL: to own the tables, or to work as the role of the API. */
export type Login = 'owner' | 'api';

/**
 * Connects once, before anything else does, so that what stands in the way of a start or a command is said in a
 * sentence with the setting's name and with what to do.
 *
 * @throws Error with that sentence
 */
export async function reachDatabase(url: string, login: Login): Promise<void> {
  const client = await connect(url);
  try {
    await (login === 'owner' ? requireOwner(client) : requireApiRole(client));
  } finally {
    await client.end();
  }
}

async function connect(url: string): Promise<pg.Client> {
  try {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: LIMIT_MS,
      query_timeout: LIMIT_MS,
      application_name: 'hookwright',
    });
    client.on('error', () => {}); // the next statement shows it
    await client.connect();
    return client;
  } catch (error) {
    throw connectionTrouble(error);
  }
}

/** A database that nothing was migrated in has no schema yet, and so no owner. */
async function requireOwner(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ owner: string; login: string; owns: boolean }>(
    `select pg_get_userbyid(nspowner) as owner, current_user::text as login, pg_has_role(nspowner, 'usage') as owns
     from pg_namespace where nspname = 'hookwright'`,
  );
  const [schema] = rows;
  if (schema !== undefined && !schema.owns) {
    throw new Error(
      `The user of DATABASE_URL, "${schema.login}", does not own the schema hookwright: such a login is for ` +
        `"hookwright api" alone. Everything else needs the one of the owner, "${schema.owner}".`,
    );
  }
}

/** Connections that ask for a role that is not there fail, with no word on why it is not. */
async function requireApiRole(client: pg.Client): Promise<void> {
  try {
    await requireMigrated({ pool: client });
  } catch (error) {
    // A login that inherits nothing sees the migrations only once it has taken the role. It is asked again then.
    if (sqlStateOf(error) !== SQL_STATE.INSUFFICIENT_PRIVILEGE) {
      throw error;
    }
  }
  const { rows } = await client.query<{ login: string; may: boolean }>(
    `select current_user::text as login, pg_has_role(oid, 'member') as may from pg_roles where rolname = $1`,
    [API_ROLE],
  );
  const [role] = rows;
  if (role === undefined) {
    throw new Error(`The role ${API_ROLE} does not exist on this server: run "hookwright migrate" first.`);
  }
  if (!role.may) {
    throw new Error(
      `The user of DATABASE_URL, "${role.login}", may not use the role ${API_ROLE}, which the API works as. ` +
        `Have an administrator run: grant ${API_ROLE} to "${role.login}";`,
    );
  }
}
