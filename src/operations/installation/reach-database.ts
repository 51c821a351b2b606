import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { connectionTrouble, POOLER_ADVICE } from '../../platform/database/connection-trouble.js';
import { poolOptions } from '../../platform/database/database.js';
import { PrimaryClient } from '../../platform/database/driver/primary-client.js';
import { hotOptions } from '../../platform/database/driver/session-url.js';
import { SQL_STATE, sqlStateOf } from '../../platform/database/driver/sql-state.js';
import { API_ROLE } from '../../platform/database/tenant-database.js';
import { thisProgram } from '../../platform/node/this-program.js';
import { troubleOfApiRights, troubleOfOwner } from './api-rights.js';
import { requireMigrated } from './check-readiness.js';
import { MAY_BECOME } from './examine-server.js';

const LIMIT_MS = 5_000;

/** The login of DATABASE_URL shall own the tables, or work as the role of the API. */
type Login = 'owner' | 'api';

/**
 * Connects once, before anything else does, so that a start or a command fails with a sentence that names the setting
 * and the remedy.
 *
 * @throws Error with that sentence
 */
export async function reachDatabase(url: string, login: Login): Promise<void> {
  const client = await connect(url);
  try {
    await requireOwnSessions(client, () => connect(url));
    await (login === 'owner' ? requireOwner(client) : requireApiRole(client));
  } finally {
    await client.end();
  }
}

async function connect(url: string): Promise<pg.Client> {
  try {
    // With all parameters of later connections: a pooler that refuses them must not be found out in the middle.
    const client = new PrimaryClient({
      ...poolOptions(url, 1, hotOptions()),
      connectionTimeoutMillis: LIMIT_MS,
      query_timeout: LIMIT_MS,
    });
    client.on('error', () => {}); // the next statement shows it
    await client.connect();
    return client;
  } catch (error) {
    throw connectionTrouble(error);
  }
}

const MARK = 'hookwright.session_mark';
/** A pooler's choice of connection depends on its other clients. */
const MARK_TRIES = 3;

/**
 * A pooler that hands its connections on after each transaction leaves our locks to strangers, a migration's for ever,
 * and takes away the one that shows that a daemon lives. One that drops parameters takes away time limits and the API's
 * role.
 */
async function requireOwnSessions(client: pg.Client, connectAnother: () => Promise<pg.Client>): Promise<void> {
  const { rows } = await client.query<{ pid: number; plans: string }>(
    `select pg_backend_pid() as pid, current_setting('plan_cache_mode') as plans`,
  );
  if (rows[0]?.plans !== 'force_generic_plan') {
    throw new Error(`Connections do not get the parameters that they ask for ("options"). ${POOLER_ADVICE}`);
  }
  if (rows[0]?.pid === (client as unknown as { processID: number }).processID) {
    return; // Postgres itself has named the process of the session: a pooler could not
  }
  const other = await connectAnother();
  try {
    for (let tries = 0; tries < MARK_TRIES; tries += 1) {
      const mark = randomUUID();
      await client.query(`select set_config('${MARK}', $1, false)`, [mark]);
      await other.query('begin'); // keeps the session that it gets
      const isShared = (await markIn(other)) === mark || (await markIn(client)) !== mark;
      await other.query('rollback');
      if (isShared) {
        throw new Error(
          `What a connection leaves in its session, such as a lock, is found in that of another. ${POOLER_ADVICE}`,
        );
      }
    }
  } finally {
    await other.end();
  }
}

async function markIn(client: pg.Client): Promise<string | null | undefined> {
  const { rows } = await client.query<{ mark: string | null }>(`select current_setting('${MARK}', true) as mark`);
  return rows[0]?.mark;
}

/** Before the first migration there is no schema, and so no owner. */
async function requireOwner(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ owner: string; login: string; owns: boolean }>(
    `select pg_get_userbyid(nspowner) as owner, current_user::text as login, pg_has_role(nspowner, 'usage') as owns
     from pg_namespace where nspname = 'hookwright'`,
  );
  const [schema] = rows;
  if (schema !== undefined && !schema.owns) {
    throw new Error(
      `The user of DATABASE_URL, "${schema.login}", does not own the schema hookwright: such a login is for ` +
        `"${thisProgram} api" alone. Everything else needs the one of the owner, "${schema.owner}".`,
    );
  }
  const trouble = await troubleOfOwner(client);
  if (trouble !== null) {
    throw new Error(trouble);
  }
}

/** Connections that ask for a missing role fail, without a reason. */
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
    `select current_user::text as login, pg_has_role(oid, ${MAY_BECOME}) as may from pg_roles where rolname = $1`,
    [API_ROLE],
  );
  const [role] = rows;
  if (role === undefined) {
    throw new Error(`The role ${API_ROLE} does not exist on this server: run "${thisProgram} migrate" first.`);
  }
  if (!role.may) {
    throw new Error(
      `The user of DATABASE_URL, "${role.login}", may not use the role ${API_ROLE}, which the API works as. ` +
        `Have an administrator run: grant ${API_ROLE} to "${role.login}";`,
    );
  }
  const trouble = await troubleOfApiRights(client);
  if (trouble !== null) {
    throw new Error(trouble);
  }
}
