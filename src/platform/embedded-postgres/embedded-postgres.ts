import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SHARED_FOLDER, usableBinaries } from './binaries.js';
import { adopt, type Cluster, initialise, isInitialised, locateCluster, locationElsewhere } from './cluster.js';
import { serviceUrl } from './connection.js';
import { enterUsers, hasUsers, whileNoOtherStarts } from './data-folder.js';
import type { FileLock } from './file-lock.js';
import { isPostgres } from './postgres-process.js';
import { askToEnd, end, findServer, launch, type Server } from './server.js';

export { hasCluster, removeDataDir } from './cluster.js';
export { lockDataFolder } from './data-folder.js';

const MAX_CONNECTIONS = 100;
const PROBE_EVERY_MS = 500;
const AGAIN_AFTER_MS = 2_000;

interface EmbeddedPostgresOptions {
  /** The cluster is in its folder `pg`. */
  dataDir: string;
  /** Faster, for tests: a power cut may lose everything. */
  ephemeral?: boolean;
  log?: (line: string) => void;
  /** Gets what `keepRunning` finds wrong. Default: `log`. */
  warn?: (line: string) => void;
  maxConnections?: number;
  /** Default: a free one. */
  port?: number;
}

/**
 * Starts the Postgres that npm installed for this platform, on a cluster that the first start makes, or uses its server
 * that is running: a killed process leaves it, and the service has it while a command works. If this process exits
 * without `stop`, the server is asked to end all the same.
 *
 * @throws Error whose message says in sentences what is in the way
 */
export function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { dataDir, ephemeral = false, log = () => {} } = options;
  return whileNoOtherStarts(dataDir, async () => {
    const cluster = locateCluster(dataDir);
    const use = await enterUsers(dataDir);
    try {
      const found = await findServer(cluster, dataDir, ephemeral);
      const attached = 'pid' in found;
      const server = attached ? found : await startServer(cluster, found, options);
      const postgres = new EmbeddedPostgres(cluster, server, attached, use, options);
      const how = attached ? 'was running already and is used' : 'started';
      const where = locationElsewhere(dataDir) === null ? '' : ' (not in DATA_DIR: its user may not enter that)';
      log(`Postgres ${how}: process ${server.pid}, 127.0.0.1:${server.port}, data in ${cluster.folder}${where}`);
      return postgres;
    } catch (error) {
      use.release();
      throw error;
    }
  });
}

/** A Postgres of our own, in the data folder, on loopback. */
export class EmbeddedPostgres {
  /** postgres:// of the service's database. Holds the password: not for logs. */
  readonly url: string;
  readonly #stopping = new AbortController();
  #watching: Promise<void> | undefined;
  #stopped: Promise<void> | undefined;

  constructor(
    private readonly cluster: Cluster,
    private server: Server,
    /** Whether the server was running already. */
    readonly attached: boolean,
    private readonly use: FileLock,
    private readonly options: EmbeddedPostgresOptions,
  ) {
    this.url = serviceUrl(cluster, server.port);
    process.once('exit', this.#onExit);
  }

  get pid(): number {
    return this.server.pid;
  }

  /** Ends the server, whichever process started it; while another process uses it, that one ends it later. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  /** From now on, until `stop`, a server that ends unasked (killed, out of memory or disk) is started again. */
  keepRunning(): void {
    this.#watching ??= this.#watch();
  }

  async #stop(): Promise<void> {
    this.#stopping.abort();
    await this.#watching;
    const { dataDir, log = () => {} } = this.options;
    await whileNoOtherStarts(dataDir, async () => {
      this.use.release();
      process.off('exit', this.#onExit);
      if (hasUsers(dataDir)) {
        log(`Postgres goes on running for another Hookwright in ${dataDir}`);
      } else {
        await end(this.server);
      }
    });
  }

  readonly #onExit = (): void => {
    this.use.release();
    if (!hasUsers(this.options.dataDir)) {
      askToEnd(this.server);
    }
  };

  async #watch(): Promise<void> {
    const { log = () => {}, warn = log } = this.options;
    while (await this.#pause(PROBE_EVERY_MS)) {
      if (isPostgres(this.pid)) {
        continue;
      }
      warn('Postgres has ended, though nobody asked it to; starting it again');
      try {
        this.server = await this.#startAgain();
        log(`Postgres is there again: process ${this.pid}`);
      } catch (error) {
        warn(`${(error as Error).message}\nTrying again in ${AGAIN_AFTER_MS / 1_000} s.`);
        await this.#pause(AGAIN_AFTER_MS);
      }
    }
  }

  /** On the port that clients know: a server that a command has started meanwhile is on another one. */
  #startAgain(): Promise<Server> {
    const { cluster, options } = this;
    const { port } = this.server;
    return whileNoOtherStarts(options.dataDir, async () => {
      for (;;) {
        const found = await findServer(cluster, options.dataDir, options.ephemeral === true);
        if (!('pid' in found)) {
          return startServer(cluster, found, { ...options, port });
        }
        await end(found);
      }
    });
  }

  /** @returns false once it is to stop; it keeps no process alive */
  async #pause(ms: number): Promise<boolean> {
    const { signal } = this.#stopping;
    await delay(ms, undefined, { signal, ref: false }).catch(() => {});
    return !signal.aborted;
  }
}

/** @param lock given up when the server has it, or does not start */
async function startServer(cluster: Cluster, lock: FileLock, options: EmbeddedPostgresOptions): Promise<Server> {
  const { dataDir, ephemeral = false, maxConnections = MAX_CONNECTIONS, port, log = () => {} } = options;
  try {
    const binaries = usableBinaries(cluster.account, cluster.account === null ? dataDir : SHARED_FOLDER);
    if (isInitialised(cluster)) {
      adopt(cluster);
    } else {
      log(`Making a database in ${cluster.folder}`);
      initialise(cluster, binaries, ephemeral);
    }
    const logFile = join(dataDir, 'pg.log');
    return await launch(cluster, binaries, { ephemeral, maxConnections, port, logFile, lock });
  } finally {
    lock.release();
  }
}
