import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import type {} from './global-setup.js'; // the type of what it provides
import { dropDatabase, onServer } from './on-server.js';
import { requireNoPlaintext } from './plaintext.js';

/** One copy at a time, over all test processes: copies made side by side only slow each other down. */
const COPY_LOCK = "hashtextextended('hookwright.test', 0)";

/**
 * Makes a migrated, empty database that no other test sees.
 *
 * @returns its URL; `drop` deletes it, cutting off whoever is still connected, and fails if it held a secret in the clear
 */
export async function createTestDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const { url: serverUrl, template, databasePrefix, copyStrategy } = inject('testPostgres');
  const name = `${databasePrefix}${randomBytes(4).toString('hex')}`;
  await onServer(serverUrl, async (client) => {
    await client.query(`select pg_advisory_lock(${COPY_LOCK})`); // freed with the connection
    await client.query(`create database ${name} template ${template} strategy ${copyStrategy}`);
  });
  const url = new URL(serverUrl);
  url.pathname = name;
  return {
    url: url.href,
    drop: async () => {
      try {
        await requireNoPlaintext(url.href);
      } finally {
        await onServer(serverUrl, (client) => dropDatabase(client, name));
      }
    },
  };
}
