import { chmodSync, existsSync, mkdtempSync, readdirSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  lockDataFolder,
  removeDataDir,
  startEmbeddedPostgres,
} from '../../src/platform/embedded-postgres/embedded-postgres.js';
import { onServer } from './on-server.js';

const FOLDER_PREFIX = 'hookwright-test-';
const MAX_CONNECTIONS = 300;
const MEMORY_FOLDER = '/dev/shm';
/** The write-ahead log alone may grow to 2 GB. */
const MEMORY_FREE_BYTES_MIN = 4 * 2 ** 30;

/**
 * A Postgres of our own in a temporary folder. `close` ends it and removes the folder; of one that was killed, the next does.
 *
 * @param options.durable set as one of production is, for who looks at its settings
 */
export async function startTemporaryPostgres({ durable = false } = {}): Promise<{
  url: string;
  close(): Promise<void>;
}> {
  await removeAbandoned(parentFolder());
  const dataDir = makeDataDir();
  const lock = lockDataFolder(dataDir);
  const postgres = await startEmbeddedPostgres({
    dataDir,
    ephemeral: !durable,
    maxConnections: MAX_CONNECTIONS,
  });
  if (!durable) {
    await hashPasswordOnce(postgres.url);
  }
  return {
    url: postgres.url,
    async close() {
      await postgres.stop();
      removeDataDir(dataDir); // while it is locked, or the next run would remove it too
      lock.release();
    },
  };
}

/** A client of Postgres hashes its password 4,096 times for each connection, 3 ms; the tests open tens of thousands. */
async function hashPasswordOnce(url: string): Promise<void> {
  const { password } = new URL(url);
  await onServer(url, async (client) => {
    await client.query('set scram_iterations = 1');
    await client.query(`alter role current_user password '${password}'`);
  });
}

/** A folder that the next run removes if this one is killed. */
export function makeDataDir(): string {
  const dataDir = mkdtempSync(join(parentFolder(), FOLDER_PREFIX));
  chmodSync(dataDir, 0o755); // run by root, the server belongs to another user, who must be able to enter
  return dataDir;
}

/** In memory where there is much of it: a database is hundreds of files, and disks take long to make those. */
function parentFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    return bavail * bsize >= MEMORY_FREE_BYTES_MIN ? MEMORY_FOLDER : tmpdir();
  } catch {
    return tmpdir(); // macOS has no such folder
  }
}

/** A killed run leaves its server running, but its lock on the folder ends with it. */
async function removeAbandoned(parent: string): Promise<void> {
  for (const name of readdirSync(parent)) {
    const dataDir = join(parent, name);
    if (name.startsWith(FOLDER_PREFIX) && existsSync(join(dataDir, 'service.lock')) && isFree(dataDir)) {
      const postgres = await startEmbeddedPostgres({ dataDir, ephemeral: true });
      await postgres.stop();
      removeDataDir(dataDir);
    }
  }
}

/** Locks a free folder, so that no other run that starts now does the same. */
function isFree(dataDir: string): boolean {
  try {
    lockDataFolder(dataDir);
    return true;
  } catch {
    return false;
  }
}
