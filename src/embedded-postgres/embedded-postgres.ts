import { join } from 'node:path';
import { usableBinaries } from './binaries.js';
import { adopt, type Cluster, initialise, isInitialised, locateCluster } from './cluster.js';
import { makeDatabase, serviceUrl } from './connection.js';
import { Keeper } from './keeper.js';
import { enterUsers, hasUsers, type Lock, withLock } from './lock.js';
import { claimForNamespace, type NamespaceClaim } from './namespace-claim.js';
import { askToEnd, end, findServer, launch, type Server } from './server.js';
import { lockServer } from './server-lock.js';

export { clusterFolder, hasCluster, removeDataDir } from './cluster.js';
export { claimDataDir, isClaimAbandoned } from './lock.js';
export { claimForNamespace } from './namespace-claim.js';

const MAX_CONNECTIONS = 100;

/** A Postgres of our own, in the data folder, on loopback. */
export interface EmbeddedPostgres {
  /** postgres:// of the service's database. Holds the password: not for logs. */
  url: string;
  /** The server's process. */
  pid: number;
  /** True when the server was running already. */
  attached: boolean;
  /**
   * Ends the server, whoever has started it, and waits until it is gone; but leaves it running while another process
   * uses it or claims the data folder (`claimDataDir`): the last one ends it. Where this process has the claim, call
   * this before the claim's `release`.
   */
  stop(): Promise<void>;
  /**
   * From now on, until `stop`, the server is started again, on the same port, when it ends though nobody asked it to.
   * For the process that claims the data folder.
   */
  keepRunning(): void;
}

interface EmbeddedPostgresOptions {
  /** The cluster is in its folder `pg`. */
  dataDir: string;
  /** For tests: faster, because a power cut may lose everything. */
  ephemeral?: boolean;
  log?: (line: string) => void;
  /** Gets what `keepRunning` finds wrong. Default: `log`. */
  warn?: (line: string) => void;
  maxConnections?: number;
  /** Default: a free one. */
  port?: number;
}

/**
 * Starts the Postgres that npm installed for this platform, on a cluster that the first start makes. When its server
 * is running (a killed process leaves it running; or the service is, and this is a command beside it), that is used.
 * If this process exits without `stop`, the server is told to end all the same.
 *
 * @throws Error whose message says in sentences what stands in the way
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { dataDir, log = () => {} } = options;
  // First, because all other locks of processes that cannot be seen look like those of dead ones.
  const claim = await claimForNamespace(dataDir, { log });
  // Two processes that start at once must not both make the cluster, nor one end the server that the other one finds.
  return withLock(startLock(dataDir), () => startLocked(options)).finally(() => claim.leave());
}

async function startLocked(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { dataDir, ephemeral = false, log = () => {}, warn = log } = options;
  let lose = () => {};
  // Once more: whoever had the lock until now may have been the last one, and released it.
  const claim = await claimForNamespace(dataDir, { onLost: () => lose() });
  try {
    const cluster = locateCluster(dataDir);
    const use = enterUsers(dataDir);
    try {
      const running = await findServer(cluster);
      const server = running ?? (await startServer(cluster, options, log));
      if (claim.lost) {
        askToEnd(server.process, 'SIGQUIT');
        throw new Error(TAKEN_OVER);
      }
      const { port } = server;
      const startAgain = () => startInItsPlace(cluster, { ...options, port }, log);
      const keeper = new Keeper(server, startAgain, log, warn);
      lose = () => {
        warn(TAKEN_OVER);
        askToEnd(keeper.server.process, 'SIGQUIT');
        // One may just be started in its place.
        void keeper.stop().then(() => askToEnd(keeper.server.process, 'SIGQUIT'));
      };
      const letGo = endAtExit(keeper, { use, claim }, dataDir, log);
      if (server.answer === 'INCOMPLETE') {
        await makeDatabase(cluster, port, ephemeral).catch(async (error) => {
          await letGo();
          throw error;
        });
      }
      const how = running === null ? 'started' : 'was running already and is used';
      log(`Postgres ${how}: process ${server.process.pid}, 127.0.0.1:${port}, data in ${cluster.folder}`);
      return {
        url: serviceUrl(cluster, port),
        get pid() {
          return keeper.server.process.pid;
        },
        attached: running !== null,
        stop: stopper(keeper, letGo, dataDir),
        keepRunning: () => keeper.keepRunning(),
      };
    } catch (error) {
      use.release();
      throw error;
    }
  } catch (error) {
    claim.leave();
    throw error;
  }
}

const TAKEN_OVER =
  'another container has taken the data folder over while this one stood still; ending Postgres at once';

const startLock = (dataDir: string) => join(dataDir, 'pg-starting');

/** On the port that clients know: a server that a command has started meanwhile is on another one. */
function startInItsPlace(
  cluster: Cluster,
  options: EmbeddedPostgresOptions & { port: number },
  log: (line: string) => void,
): Promise<Server> {
  return withLock(startLock(options.dataDir), async () => {
    const other = await findServer(cluster);
    if (other !== null) {
      await end(other.process);
    }
    return startServer(cluster, options, log);
  });
}

async function startServer(
  cluster: Cluster,
  options: EmbeddedPostgresOptions,
  log: (line: string) => void,
): Promise<Server> {
  const { dataDir, ephemeral = false, maxConnections = MAX_CONNECTIONS, port, warn = log } = options;
  const lock = await lockServer(dataDir, warn);
  try {
    const binaries = makeReady(cluster, ephemeral, log);
    const logFile = join(dataDir, 'pg.log');
    return await launch(cluster, binaries, { ephemeral, maxConnections, port, logFile, lock: lock.fd });
  } finally {
    lock.leave();
  }
}

/** @returns the folder of the server's programs */
function makeReady(cluster: Cluster, ephemeral: boolean, log: (line: string) => void): string {
  const { folder, copied } = usableBinaries(cluster.account);
  if (copied) {
    log(`Postgres runs from the copy in ${folder}: its user may not enter the folder of the packages`);
  }
  if (isInitialised(cluster)) {
    adopt(cluster);
  } else {
    log(`Making a database in ${cluster.folder}`);
    initialise(cluster, folder, ephemeral);
  }
  return folder;
}

/**
 * From now on the server is told to end when this process exits, unless somebody else uses it.
 *
 * @returns what ends the server at once, on the same condition, and waits until it is gone
 */
function endAtExit(
  keeper: Keeper,
  { use, claim }: { use: Lock; claim: NamespaceClaim },
  dataDir: string,
  log: (line: string) => void,
) {
  const onExit = () => {
    use.release();
    // Once it is another container's, its users are none that could be seen from here.
    if (!claim.lost && !hasUsers(dataDir)) {
      askToEnd(keeper.server.process);
    }
  };
  process.once('exit', onExit);
  return async () => {
    try {
      use.release();
      if (!claim.lost && (await endUnlessUsed(dataDir, keeper.server, log))) {
        claim.release();
      }
    } finally {
      claim.leave();
      process.off('exit', onExit);
    }
  };
}

function stopper(keeper: Keeper, letGo: () => Promise<void>, dataDir: string) {
  const stop = async () => {
    await keeper.stop();
    await withLock(startLock(dataDir), letGo);
  };
  let stopped: Promise<void> | undefined;
  return () => (stopped ??= stop());
}

/** @returns whether it has ended */
async function endUnlessUsed(dataDir: string, server: Server, log: (line: string) => void): Promise<boolean> {
  if (hasUsers(dataDir)) {
    log(`Postgres goes on running for another Hookwright in ${dataDir}`);
    return false;
  }
  await end(server.process);
  return true;
}
