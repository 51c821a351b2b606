import pg from 'pg';
import { eventually } from './eventually.js';

/** Work with a connection of its own. */
export async function onServer(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

type Connection = Pick<pg.Client | pg.Pool, 'query'>;

const INSUFFICIENT_PRIVILEGE = '42501';
const IN_USE = '55006';

/**
 * Drops a database, and cuts off whoever is still connected to it.
 *
 * Autovacuum belongs to the server's superuser: WITH (FORCE) may not end it for anybody else, and fails. Without it,
 * Postgres itself tells autovacuum to make room, but waits for nobody else.
 */
export async function dropDatabase(client: Connection, name: string): Promise<void> {
  await eventually(
    async () =>
      (await isDone(client, `drop database if exists ${name} with (force)`, INSUFFICIENT_PRIVILEGE)) ||
      (await isDone(client, `drop database if exists ${name}`, IN_USE)),
    30_000,
  );
}

/** @returns whether it was done; no, when it failed for the one reason that passes */
async function isDone(client: Connection, text: string, passing: string): Promise<boolean> {
  try {
    await client.query(text);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === passing) {
      return false;
    }
    throw error;
  }
}
