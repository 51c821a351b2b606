import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import type {} from './global-setup.js'; // the type of what it provides
import { dropDatabase } from './on-server.js';
import { requireNoPlaintext } from './plaintext.js';

/** One copy at a time, over all test processes: copies made side by side only slow each other down. */
const COPY_LOCK = "hashtextextended('hookwright.test', 0)";

/** One connection makes and drops the databases of this process: signing in costs as much as a copy. */
let server: pg.Pool | undefined;

/** Made while a test runs, for the next one. */
let spare: Promise<string> | undefined;
let handedOut = 0;

/**
 * Makes a migrated, empty database that no other test sees.
 *
 * @returns its URL; `drop` deletes it, ends all its connections, and fails if it had a secret in the clear
 */
export async function createTestDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const copied = spare ?? copyTemplate();
  handedOut += 1;
  // A process that has one file mostly needs one.
  spare = handedOut > 1 ? copyTemplate() : undefined;
  spare?.catch(() => {}); // the next test meets it
  const name = await copied;
  const url = new URL(inject('testPostgres').url);
  url.pathname = name;
  return {
    url: url.href,
    drop: async () => {
      try {
        await requireNoPlaintext(url.href);
      } finally {
        await dropDatabase(server!, name);
      }
    },
  };
}

/** A connection to such a database, as its owner. `close` deletes the database, too. */
export async function connectTestDatabase(): Promise<{ client: pg.Client; close(): Promise<void> }> {
  const { url, drop } = await createTestDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const close = async () => {
    await client.end();
    await drop();
  };
  return { client, close };
}

async function copyTemplate(): Promise<string> {
  const { url, template, databasePrefix, copyStrategy } = inject('testPostgres');
  server ??= openServer(url);
  const client = await server.connect();
  const name = `${databasePrefix}${randomBytes(4).toString('hex')}`;
  try {
    await client.query(`select pg_advisory_lock(${COPY_LOCK})`);
    await client.query(`create database ${name} template ${template} strategy ${copyStrategy}`);
  } finally {
    await client.query(`select pg_advisory_unlock(${COPY_LOCK})`);
    client.release();
  }
  return name;
}

function openServer(connectionString: string): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true });
  return pool.on('error', () => {}); // the next database gets another connection
}
