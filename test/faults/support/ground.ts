import { chmodSync, mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type EmbeddedPostgres,
  lockDataFolder,
  removeDataDir,
  startEmbeddedPostgres,
} from '../../../src/embedded-postgres/embedded-postgres.js';
import { isPostgres } from '../../../src/embedded-postgres/postgres-process.js';
import { migrate } from '../../../src/operations/installation/migrate.js';
import { createTestDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';

/** The database that a fault test stands on. */
export interface Ground extends AsyncDisposable {
  url: string;
}

/** The server of the whole test run, for faults that leave Postgres itself alone. */
export async function sharedGround(): Promise<Ground> {
  const { url, drop } = await createTestDatabase();
  return { url, [Symbol.asyncDispose]: drop };
}

/** test/support/global-setup.ts removes what a killed run left under this prefix. */
const FOLDER_PREFIX = 'hookwright-test-';
const MEMORY_FOLDER = '/dev/shm';
const MEMORY_FREE_BYTES_MIN = 4 * 2 ** 30;
const MAX_CONNECTIONS = 200;

/** A Postgres of its own, durable, which a test may crash and start again. */
export class CrashableGround implements Ground {
  readonly #lock: { release(): void };

  private constructor(
    private readonly dataDir: string,
    private postgres: EmbeddedPostgres,
  ) {
    this.#lock = lockDataFolder(dataDir);
  }

  static async open(): Promise<CrashableGround> {
    const dataDir = mkdtempSync(join(parentFolder(), FOLDER_PREFIX));
    chmodSync(dataDir, 0o755); // run by root, the server belongs to another user, who must be able to enter
    // Durable: without synchronous_commit a crash of the server loses what it has confirmed.
    const postgres = await startEmbeddedPostgres({ dataDir, maxConnections: MAX_CONNECTIONS });
    const ground = new CrashableGround(dataDir, postgres);
    await migrate(ground.url);
    return ground;
  }

  get url(): string {
    return this.postgres.url;
  }

  /** As `pg_ctl stop -m immediate`: every session is cut, and the next start replays the log. */
  async crash(): Promise<void> {
    const { pid } = this.postgres;
    process.kill(pid, 'SIGQUIT');
    await eventually(() => !isPostgres(pid), 30_000);
    await this.postgres.stop(); // it has ended: this only forgets it
  }

  /** At the same place as before. @returns when it answers again */
  async restart(): Promise<void> {
    const port = Number(new URL(this.url).port);
    const { dataDir } = this;
    this.postgres = await startEmbeddedPostgres({ dataDir, maxConnections: MAX_CONNECTIONS, port });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.postgres.stop();
    this.#lock.release();
    removeDataDir(this.dataDir);
  }
}

function parentFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    return bavail * bsize >= MEMORY_FREE_BYTES_MIN ? MEMORY_FOLDER : tmpdir();
  } catch {
    return tmpdir(); // macOS has no such folder
  }
}
