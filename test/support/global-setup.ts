import { randomBytes } from 'node:crypto';
import type { TestProject } from 'vitest/node';
import { BROWSER_TESTS_SKIPPED, skipsBrowserTests } from './browser/find-browser.js';
import { dropDatabase, onServer } from './on-server.js';
import { startTemporaryPostgres } from './temporary-postgres.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The run's server, and the migrated database that each file's own database is a copy of. */
    testPostgres: { url: string; template: string; databasePrefix: string; copyStrategy: CopyStrategy };
  }
}

/**
 * Copying files is several times faster for so many tables, but takes a checkpoint: with fsync, as a server that is
 * not ours will have it, the way through the log is faster.
 */
type CopyStrategy = 'file_copy' | 'wal_log';

/**
 * One server for the whole run, thrown away after it: an embedded one in a temporary folder, or the one at
 * TEST_DATABASE_URL, whose role must be allowed to make databases.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Loading the entities takes about as long as starting the server.
  const migration = import('../../src/operations/installation/migrate.js');
  migration.catch(() => {}); // awaited below; a failure of the server must not leave this one unhandled
  if (skipsBrowserTests()) {
    process.stderr.write(`${BROWSER_TESTS_SKIPPED}\n`);
  }
  const server = await (process.env['TEST_DATABASE_URL'] ? existingServer() : temporaryServer());
  const databasePrefix = `hookwright_test_${randomBytes(4).toString('hex')}_`;
  const template = `${databasePrefix}template`;
  const teardown = () => server.close(databasePrefix);
  try {
    await onServer(server.url, (client) => client.query(`create database ${template}`));
    const templateUrl = new URL(server.url);
    templateUrl.pathname = template;
    await (await migration).migrate(templateUrl.href);
  } catch (error) {
    await teardown();
    throw error;
  }
  const { url, copyStrategy } = server;
  project.provide('testPostgres', { url, template, databasePrefix, copyStrategy });
  return teardown;
}

interface TestServer {
  url: string;
  copyStrategy: CopyStrategy;
  close(databasePrefix: string): Promise<void>;
}

async function temporaryServer(): Promise<TestServer> {
  return { ...(await startTemporaryPostgres()), copyStrategy: 'file_copy' };
}

async function existingServer(): Promise<TestServer> {
  const url = process.env['TEST_DATABASE_URL']!;
  return {
    url,
    copyStrategy: 'wal_log',
    async close(databasePrefix) {
      await onServer(url, async (client) => {
        const { rows } = await client.query<{ datname: string }>(
          `select datname from pg_database where starts_with(datname, '${databasePrefix}')`,
        );
        for (const { datname } of rows) {
          await dropDatabase(client, datname);
        }
      });
    },
  };
}
