import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import {
  claimDataDir,
  isClaimAbandoned,
  removeDataDir,
  startEmbeddedPostgres,
} from '../../src/embedded-postgres.js';
import { BROWSER_TESTS_SKIPPED, skipsBrowserTests } from './browser/find-browser.js';
import { dropDatabase, onServer } from './on-server.js';

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

const FOLDER_PREFIX = 'hookwright-test-';
const MAX_CONNECTIONS = 300;
const MEMORY_FOLDER = '/dev/shm';
/** The write-ahead log alone may grow to 2 GB. */
const MEMORY_FREE_BYTES_MIN = 4 * 2 ** 30;

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
  const parent = temporaryFolder();
  await removeAbandoned(parent);
  const dataDir = mkdtempSync(join(parent, FOLDER_PREFIX));
  const claim = claimDataDir(dataDir);
  chmodSync(dataDir, 0o755); // run by root, the server belongs to another user, who must be able to enter
  const postgres = await startEmbeddedPostgres({ dataDir, ephemeral: true, maxConnections: MAX_CONNECTIONS });
  return {
    url: postgres.url,
    copyStrategy: 'file_copy',
    async close() {
      await postgres.stop();
      claim.release();
      removeDataDir(dataDir);
    },
  };
}

/** In memory where there is much of it: a database is hundreds of files, and disks take long to make those. */
function temporaryFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    return bavail * bsize >= MEMORY_FREE_BYTES_MIN ? MEMORY_FOLDER : tmpdir();
  } catch {
    return tmpdir(); // macOS has no such folder
  }
}

/** A killed run leaves its server running. The claim on its folder shows that nobody needs it any more. */
async function removeAbandoned(parent: string): Promise<void> {
  for (const name of readdirSync(parent)) {
    const dataDir = join(parent, name);
    if (name.startsWith(FOLDER_PREFIX) && isClaimAbandoned(dataDir)) {
      claimDataDir(dataDir); // so that no other run, starting now as well, does the same
      const postgres = await startEmbeddedPostgres({ dataDir, ephemeral: true });
      await postgres.stop();
      removeDataDir(dataDir);
    }
  }
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
