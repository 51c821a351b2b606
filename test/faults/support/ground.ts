import { migrate } from '../../../src/operations/installation/migrate.js';
import {
  type EmbeddedPostgres,
  lockDataFolder,
  removeDataDir,
  startEmbeddedPostgres,
} from '../../../src/platform/embedded-postgres/embedded-postgres.js';
import { isPostgres } from '../../../src/platform/embedded-postgres/postgres-process.js';
import { createTestDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';
import { makeDataDir } from '../../support/temporary-postgres.js';

/** The database that a fault test stands on. */
export interface Ground extends AsyncDisposable {
  url: string;
}

/** The server of the whole test run, for faults that leave Postgres itself alone. */
export async function sharedGround(): Promise<Ground> {
  const { url, drop } = await createTestDatabase();
  return { url, [Symbol.asyncDispose]: drop };
}

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
    const dataDir = makeDataDir();
    // Durable: without synchronous_commit a crash of the server loses what it has confirmed.
    const postgres = await startEmbeddedPostgres({ dataDir, maxConnections: MAX_CONNECTIONS });
    const ground = new CrashableGround(dataDir, postgres);
    await migrate(ground.url);
    return ground;
  }

  get url(): string {
    return this.postgres.url;
  }

  /** Like `pg_ctl stop -m immediate`: every session is cut, and the next start replays the log. */
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
