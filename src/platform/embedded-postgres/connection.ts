import pg from 'pg';
import { SQL_STATE, sqlStateOf } from '../database/driver/sql-state.js';
import { type Cluster, readPassword, SUPERUSER } from './cluster.js';

/** The role that the service uses, and the name of its database: no superuser, but the database's owner. */
const SERVICE = 'hookwright';

const CONNECT_TIMEOUT_MS = 5_000;
/** Files of the write-ahead log, 16 MB each; the server keeps as many (`min_wal_size`). */
export const LOG_FILES_AHEAD = 16;

/** Without `sslmode` the driver would go by the variable PGSSLMODE, which is meant for other servers. */
export function serviceUrl(cluster: Cluster, port: number): string {
  return `postgres://${SERVICE}:${readPassword(cluster)}@127.0.0.1:${port}/${SERVICE}?sslmode=disable`;
}

/**
 * Makes the service's role and database where they are missing.
 *
 * The role is not a superuser, because row-level security holds for everybody but superusers. It may make roles,
 * because `migrate` makes the one of the API, and databases, because each file of tests has one.
 *
 * @param ephemeral a power cut may lose everything: no commit waits for the disk
 * @returns false when the server does not answer yet, or is just ending
 * @throws Error with a sentence when the password is not the cluster's
 */
export async function makeDatabase(cluster: Cluster, port: number, ephemeral: boolean): Promise<boolean> {
  const password = readPassword(cluster);
  const client = new pg.Client({
    ...{ host: '127.0.0.1', port, user: SUPERUSER, password, database: 'postgres', ssl: false },
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'hookwright start',
  });
  // A server that ends under an idle connection must not end this process too; the next statement shows it.
  client.on('error', () => {});
  try {
    await client.connect();
    const roles = await client.query('select from pg_roles where rolname = $1', [SERVICE]);
    if (roles.rowCount === 0) {
      const literal = client.escapeLiteral(password);
      await client.query(`create role ${SERVICE} login createdb createrole password ${literal}`);
    }
    const databases = await client.query('select from pg_database where datname = $1', [SERVICE]);
    if (databases.rowCount === 0) {
      if (!ephemeral) {
        await makeLogAhead(client);
      }
      await client.query(`create database ${SERVICE} owner ${SERVICE}`);
    }
    return true;
  } catch (error) {
    const state = sqlStateOf(error);
    if (state === SQL_STATE.INVALID_PASSWORD) {
      throw new Error(`The password in ${cluster.passwordFile} is not that of the database in ${cluster.folder}.`, {
        cause: error,
      });
    }
    if (error instanceof pg.DatabaseError && !state.startsWith('57')) {
      throw error;
    }
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * Makes files of the write-ahead log that stand ready. Before the first checkpoint, after a quarter of an hour, commits
 * would wait for each new file (45 ms).
 */
async function makeLogAhead(client: pg.Client): Promise<void> {
  for (let file = 0; file < LOG_FILES_AHEAD; file += 1) {
    // A file to which nothing was written is not left for the next one.
    await client.query(`select pg_logical_emit_message(false, '', '')`);
    await client.query('select pg_switch_wal()');
  }
  await client.query('checkpoint');
}
