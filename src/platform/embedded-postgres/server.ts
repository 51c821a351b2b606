import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../node/free-port.js';
import { spawnAs } from './account.js';
import type { Cluster } from './cluster.js';
import { LOG_FILES_AHEAD, makeDatabase } from './connection.js';
import { TAKE_ANOTHER } from './data-folder.js';
import { type FileLock, lockedBy, tryLock } from './file-lock.js';
import { isPostgres } from './postgres-process.js';

const LOG_BYTES_MAX = 10_000_000;
const FIRST_PAUSE_MS = 5;
const LAST_PAUSE_MS = 200;
/** A crash with `max_wal_size` to replay is ready again long before. */
const READY_TIMEOUT_MS = 300_000;
/** The remaining processes of a killed server end within moments. */
const UNSEEN_TIMEOUT_MS = 2_000;
/** Fast shutdown ends sessions at once and writes a checkpoint; on a slow disk that takes its time. */
const FAST_SHUTDOWN_MS = 60_000;
const IMMEDIATE_SHUTDOWN_MS = 15_000;

interface ServerOptions {
  ephemeral: boolean;
  maxConnections: number;
  /** Default: a free one. */
  port: number | undefined;
  logFile: string;
  /** The server inherits it. */
  lock: FileLock;
}

/** A server that answers on loopback, with the service's database. */
export interface Server {
  pid: number;
  port: number;
}

/** Settings for 2 to 4 cores shared with the service. Given at each start: postgresql.conf stays as it is. */
function settings(port: number, { ephemeral, maxConnections }: ServerOptions): string[] {
  const durable = ephemeral ? 'off' : 'on';
  const lines = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '', // the default folder may be missing, not ours, or its path too long
    max_connections: maxConnections,
    shared_buffers: totalmem() < 4 * 2 ** 30 ? '128MB' : '256MB',
    fsync: durable,
    synchronous_commit: durable,
    full_page_writes: durable,
    // Every row is written several times within minutes: checkpoints far apart, and whole pages compressed.
    max_wal_size: '2GB',
    min_wal_size: `${LOG_FILES_AHEAD * 16}MB`,
    checkpoint_timeout: '15min',
    wal_compression: 'on',
    // A client that stalls while signing in delays a DROP DATABASE. On loopback signing in takes 10 ms.
    authentication_timeout: '10s',
    jit: 'off', // compiling costs more than any of our statements takes
    autovacuum_naptime: '15s', // the job table turns over completely many times a minute
    random_page_cost: '1.1',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    log_line_prefix: '%m [%p] ',
    // Failed statements and the rows in their details may have payloads. The service logs what it needs of them.
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
  };
  return Object.entries(lines).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/**
 * Starts the server of a cluster and waits until it answers.
 *
 * @throws Error with a sentence: the port is taken, or what the server wrote before it ended
 */
export async function launch(cluster: Cluster, binaries: string, options: ServerOptions): Promise<Server> {
  const port = options.port ?? (await freePort());
  const written = logOf(options.logFile);
  const child = spawnServer(cluster, binaries, port, options, written.file);
  const ready = untilReady(cluster, port, options.ephemeral, () => !hasEnded(child));
  if (await readyOrEnded(child, ready)) {
    return { pid: child.pid!, port };
  }
  const said = written.since();
  if (said.includes('could not create any TCP/IP sockets')) {
    throw new Error(`Port ${port} on 127.0.0.1 is taken, so Postgres cannot listen there.`);
  }
  throw new Error(`Postgres did not start; it wrote (in ${options.logFile}):\n${said}`);
}

/**
 * In a process group and session of its own, so that Ctrl-C in the terminal reaches us alone: the server must
 * outlive the last of our transactions. Its output goes to a file and not to us, because it may outlive us as well.
 */
function spawnServer(cluster: Cluster, binaries: string, port: number, options: ServerOptions, log: number) {
  // The lock shows that no server runs. In a new container another process has the pid, and Postgres would not start.
  rmSync(pidFile(cluster), { force: true });
  const child = spawn(join(binaries, 'bin', 'postgres'), ['-D', cluster.folder, ...settings(port, options)], {
    ...spawnAs(cluster.account),
    detached: true,
    stdio: ['ignore', log, log, options.lock.fd],
  });
  closeSync(log);
  child.on('error', () => {}); // `pid` is undefined then, and `hasEnded` true
  child.unref();
  return child;
}

/** Until the server is ready nobody else can end it: not when this process exits meanwhile, and not on an error. */
async function readyOrEnded(child: ChildProcess, ready: Promise<boolean>): Promise<boolean> {
  // Immediate: on a full disk a fast shutdown waits for its checkpoint without end. The next start replays the log.
  const kill = () => child.kill('SIGQUIT');
  process.once('exit', kill);
  // Where another program has the port, `ready` waits for that one.
  const ended = new Promise<false>((resolve) => child.once('exit', () => resolve(false)));
  try {
    return await Promise.race([ended, ready]);
  } catch (error) {
    kill();
    child.ref(); // else nothing may keep this process until then
    await ended;
    throw error;
  } finally {
    process.off('exit', kill);
  }
}

const hasEnded = ({ pid, exitCode, signalCode }: ChildProcess) =>
  pid === undefined || exitCode !== null || signalCode !== null;

function logOf(logFile: string): { file: number; since: () => string } {
  try {
    if ((statSync(logFile, { throwIfNoEntry: false })?.size ?? 0) > LOG_BYTES_MAX) {
      renameSync(logFile, `${logFile}.old`);
    }
    const file = openSync(logFile, 'a', 0o600);
    const { size } = fstatSync(file);
    return { file, since: () => readFileSync(logFile).subarray(size).toString().trim() };
  } catch (error) {
    throw new Error(`Postgres's log ${logFile} cannot be written: ${(error as Error).message}.`, { cause: error });
  }
}

/** @returns whether the server answers and has the service's database; false when its process has ended before */
async function untilReady(cluster: Cluster, port: number, ephemeral: boolean, isAlive: () => boolean) {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  for (let pause = FIRST_PAUSE_MS; isAlive(); pause = longer(pause)) {
    if (await makeDatabase(cluster, port, ephemeral)) {
      return true;
    }
    if (performance.now() > deadline) {
      throw new Error(`Postgres does not answer on 127.0.0.1:${port}. See pg.log in the data folder.`);
    }
    await delay(pause);
  }
  return false;
}

const longer = (pauseMs: number) => Math.min(LAST_PAUSE_MS, pauseMs * 1.5);

/**
 * Finds the server that another process of ours has started, and perhaps left by being killed; waits for one that is
 * just shutting down. The right to serve from the folder is a lock that the server inherits, so it outlives us with it.
 *
 * @returns the server; or that lock, when none runs
 * @throws Error with a sentence when it runs in another container
 */
export async function findServer(cluster: Cluster, dataDir: string, ephemeral: boolean): Promise<Server | FileLock> {
  const file = join(dataDir, 'pg-server.lock');
  const until = performance.now() + UNSEEN_TIMEOUT_MS;
  for (;;) {
    const lock = tryLock(file);
    if (lock !== null) {
      return lock;
    }
    const [pid, port] = [0, 3].map((line) => Number(pidFileLines(cluster)[line]));
    if (await untilReady(cluster, port!, ephemeral, () => isPostgres(pid!))) {
      return { pid: pid!, port: port! };
    }
    if (performance.now() >= until) {
      throw new Error(
        `A Postgres that cannot be seen from here serves from the folder ${dataDir}; it was started by ` +
          `${lockedBy(file)}. Two on one folder destroy it. End that one first, ${TAKE_ANOTHER}`,
      );
    }
    await delay(LAST_PAUSE_MS);
  }
}

const pidFile = ({ folder }: Cluster) => join(folder, 'postmaster.pid');

function pidFileLines(cluster: Cluster): string[] {
  try {
    return readFileSync(pidFile(cluster), 'utf8').split('\n');
  } catch {
    return [];
  }
}

/** Asks the server to end: sessions are cut off, everything committed is on the disk. Does not wait. */
export function askToEnd({ pid }: Server, signal: NodeJS.Signals = 'SIGINT'): void {
  if (isPostgres(pid)) {
    process.kill(pid, signal);
  }
}

/** Waits until the server is gone. One that takes too long is ended at once, and replays its log at the next start. */
export async function end(server: Server): Promise<void> {
  for (const [signal, limitMs] of [
    ['SIGINT', FAST_SHUTDOWN_MS],
    ['SIGQUIT', IMMEDIATE_SHUTDOWN_MS],
  ] as const) {
    askToEnd(server, signal);
    const deadline = performance.now() + limitMs;
    for (let pause = FIRST_PAUSE_MS; performance.now() < deadline; pause = longer(pause)) {
      if (!isPostgres(server.pid)) {
        return;
      }
      await delay(pause);
    }
  }
  throw new Error(`Postgres (process ${server.pid}) does not end.`);
}
