import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { installIndexes } from '../../src/operations/installation/install-indexes.js';
import { removeDataDir } from '../../src/platform/embedded-postgres/embedded-postgres.js';
import { BROWSER_TESTS_SKIPPED, skipsBrowserTests } from './browser/find-browser.js';
import { COMPATIBILITY_TESTS_SKIPPED, skipsCompatibilityTests } from './compatibility.js';
import { dropDatabase, onServer } from './on-server.js';
import { startTemporaryPostgres } from './temporary-postgres.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The run's server, and the migrated database that each file's own database is a copy of. */
    testPostgres: { url: string; template: string; databasePrefix: string; copyStrategy: CopyStrategy };
    /** The folder in which the tests make theirs. */
    temporaryFolders: string;
  }
}

/**
 * Copying files is several times faster for so many tables, but takes a checkpoint: with fsync, as a server that is
 * not ours will have it, the way through the log is faster.
 */
type CopyStrategy = 'file_copy' | 'wal_log';

/** Two weeks of partitions make each copy of the template, and each connection to it, a quarter dearer. */
const DROP_LATER_DAYS = `do $$
declare
  part regclass;
begin
  for part in
    select c.oid from pg_inherits i join pg_class c on c.oid = i.inhrelid and c.relkind = 'r'
    where right(c.relname, 8) > to_char(clock_timestamp() at time zone 'UTC' + interval '1 day', 'YYYYMMDD')
  loop
    execute format('drop table %s', part);
  end loop;
end $$`;

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
  if (skipsCompatibilityTests()) {
    process.stderr.write(`${COMPATIBILITY_TESTS_SKIPPED}\n`);
  }
  const server = await (process.env['TEST_DATABASE_URL'] ? existingServer() : temporaryServer());
  const databasePrefix = `hookwright_test_${randomBytes(4).toString('hex')}_`;
  const template = `${databasePrefix}template`;
  const temporaryFolders = mkdtempSync(join(tmpdir(), 'hookwright-tests-'));
  chmodSync(temporaryFolders, 0o755);
  const teardown = async () => {
    reportTimes(project);
    await server.close(databasePrefix);
    for (const name of readdirSync(temporaryFolders)) {
      removeDataDir(join(temporaryFolders, name));
    }
    removeDataDir(temporaryFolders);
  };
  try {
    await onServer(server.url, (client) => client.query(`create database ${template}`));
    const templateUrl = new URL(server.url);
    templateUrl.pathname = template;
    await (await migration).migrate(templateUrl.href);
    await installIndexes(templateUrl.href);
    await onServer(templateUrl.href, (client) => client.query(DROP_LATER_DAYS));
  } catch (error) {
    await teardown();
    throw error;
  }
  const { url, copyStrategy } = server;
  project.provide('testPostgres', { url, template, databasePrefix, copyStrategy });
  project.provide('temporaryFolders', temporaryFolders);
  return teardown;
}

/** The browser's stories run after all other tests, and their time is a matter of its own. */
function reportTimes({ vitest }: TestProject): void {
  const parts = Map.groupBy(vitest.state.getFiles(), ({ projectName }) =>
    projectName === 'browser' ? 'browser stories' : 'tests without a browser',
  );
  for (const [part, files] of parts) {
    const ran = files.flatMap(({ result }) => (result?.startTime === undefined ? [] : [result]));
    const endedAt = Math.max(...ran.map(({ startTime = 0, duration = 0 }) => startTime + duration));
    const seconds = (endedAt - Math.min(...ran.map(({ startTime = 0 }) => startTime))) / 1000;
    process.stdout.write(`${part}: ${ran.length} files in ${seconds.toFixed(0)} s\n`);
  }
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
