import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../node/free-port.js';
import { spawnAs } from './account.js';
import type { Cluster } from './cluster.js';
import { type Answer, ask, LOG_FILES_AHEAD } from './connection.js';
import { fileSentence } from './file-sentence.js';
import { findProcess, mayWorkIn, type RunningProcess } from './running-process.js';

const LOG_BYTES_MAX = 10_000_000;
const PORT_TRIES = 5;
const FIRST_PAUSE_MS = 5;
const LAST_PAUSE_MS = 200;
/** A crash with `max_wal_size` to replay is ready again long before. */
const READY_TIMEOUT_MS = 300_000;
/** Fast shutdown ends sessions at once and writes a checkpoint; on a slow disk that takes its time. */
const FAST_SHUTDOWN_MS = 60_000;
const IMMEDIATE_SHUTDOWN_MS = 15_000;

interface ServerOptions {
  ephemeral: boolean;
  maxConnections: number;
  port: number | undefined;
  logFile: string;
  /** The file whose lock it inherits (server-lock.ts); undefined: none. */
  lock: number | undefined;
}

/** A server that answers on loopback. */
export interface Server {
  process: RunningProcess;
  port: number;
  answer: Answer;
}

/** What is right for 2 to 4 cores that the service shares. Given at each start: nothing is kept in postgresql.conf. */
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
    // Who stalls while signing in keeps a DROP DATABASE and its transaction waiting. On loopback that takes 10 ms.
    authentication_timeout: '10s',
    jit: 'off', // compiling costs more than any of our statements takes
    autovacuum_naptime: '15s', // the job table turns over completely many times a minute
    random_page_cost: '1.1',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    log_line_prefix: '%m [%p] ',
    // Failed statements and the rows in their details may hold payloads. The service logs what it needs of them.
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
  for (let tries = 1; ; tries += 1) {
    const port = options.port ?? (await freePort());
    const written = logOf(options.logFile);
    const child = spawnServer(cluster, binaries, port, options, written.file);
    const answer = await readyOrEnded(child, cluster, port);
    if (answer !== null) {
      return { process: findProcess(child.pid!)!, port, answer };
    }
    const said = written.since();
    const portTaken = said.includes('could not create any TCP/IP sockets');
    if (portTaken && options.port !== undefined) {
      throw new Error(`Port ${port} on 127.0.0.1 is taken, so Postgres cannot listen there.`);
    }
    // Between our look for a free port and Postgres's use of it another program may have taken it.
    if (!portTaken || tries === PORT_TRIES) {
      throw new Error(`Postgres did not start; it wrote (in ${options.logFile}):\n${said}`);
    }
  }
}

/**
 * In a process group and session of its own, so that Ctrl-C in the terminal reaches us alone: the server must
 * outlive the last of our transactions. Its output goes to a file and not to us, because it may outlive us as well.
 */
function spawnServer(cluster: Cluster, binaries: string, port: number, options: ServerOptions, log: number) {
  const { env, ...as } = spawnAs(cluster.account);
  const child = spawn(join(binaries, 'bin', 'postgres'), ['-D', cluster.folder, ...settings(port, options)], {
    ...as,
    env: { ...env, ...disownedPid(cluster) },
    detached: true,
    stdio: ['ignore', log, log, options.lock ?? 'ignore'],
  });
  closeSync(log);
  child.on('error', () => {}); // `pid` is undefined then, and `hasEnded` true
  child.unref();
  return child;
}

/**
 * `findServer` has found none. After a power cut, or in a new container, the process that a server before it had
 * written down may be another program's: Postgres would refuse to start for it, but for this variable of pg_ctl's.
 */
function disownedPid(cluster: Cluster): { PG_GRANDPARENT_PID?: string } {
  const [pid] = pidFileOf(cluster) ?? [];
  return pid ? { PG_GRANDPARENT_PID: pid } : {};
}

function pidFileOf({ folder }: Cluster): string[] | null {
  try {
    return readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return null;
  }
}

/** Until the server is ready nobody else can end it: not when this process exits meanwhile, and not on an error. */
async function readyOrEnded(child: ChildProcess, cluster: Cluster, port: number): Promise<Answer | null> {
  const kill = () => child.kill('SIGINT');
  process.once('exit', kill);
  // Where another program has the port, it is that one which we wait for: in vain, perhaps.
  const ended = new Promise<null>((resolve) => child.once('exit', () => resolve(null)));
  try {
    return await Promise.race([ended, untilReady(cluster, port, () => (hasEnded(child) ? null : child.pid!))]);
  } catch (error) {
    kill();
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
    throw fileSentence(`Postgres's log ${logFile} cannot be written`, error);
  }
}

/**
 * Connects again and again until the server answers for good.
 *
 * @returns null when the process has ended before that
 */
async function untilReady(cluster: Cluster, port: number, alive: () => number | null): Promise<Answer | null> {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  let pid = alive();
  for (let pause = FIRST_PAUSE_MS; pid !== null; pause = Math.min(LAST_PAUSE_MS, pause * 1.5)) {
    const answer = await ask(cluster, port);
    if (answer !== 'NOT_YET') {
      return answer;
    }
    if (performance.now() > deadline) {
      throw new Error(`Postgres (process ${pid}) does not answer on 127.0.0.1:${port}. See pg.log in the data folder.`);
    }
    await delay(pause);
    pid = alive();
  }
  return null;
}

/**
 * Finds the server that a killed process of ours left running, or one that another process of ours has started. One
 * that is just shutting down is waited for.
 *
 * @returns null when none runs
 * @throws Error when the cluster was copied or moved under a running server: starting another could destroy it
 */
export async function findServer(cluster: Cluster): Promise<Server | null> {
  const [pid, folder, , port] = pidFileOf(cluster) ?? [];
  const server = findProcess(Number(pid));
  // After a power cut the pid may be that of another Postgres. Each works in the folder of its cluster.
  if (server?.name !== 'postgres' || !mayWorkIn(server, folder!)) {
    return null;
  }
  if (folder !== cluster.folder) {
    throw new Error(
      `${join(cluster.folder, 'postmaster.pid')} belongs to a Postgres (process ${pid}) that runs on ${folder}: the folder was copied or moved ` +
        'while that ran. Stop that one first; if this is a copy, remove the file.',
    );
  }
  const answer = await untilReady(cluster, Number(port), () => (isRunning(server) ? server.pid : null));
  return answer === null ? null : { process: server, port: Number(port), answer };
}

export const isRunning = ({ pid, startedAt }: RunningProcess) => findProcess(pid)?.startedAt === startedAt;

/** Tells the server to end: sessions are cut off, everything committed is on the disk. Does not wait. */
export function askToEnd(server: RunningProcess, signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): void {
  if (isRunning(server)) {
    process.kill(server.pid, signal);
  }
}

/**
 * Ends the server and waits until it is gone. One that takes too long is ended at once, which loses nothing: it
 * replays its log at the next start.
 */
export async function end(server: RunningProcess): Promise<void> {
  for (const [signal, limitMs] of [
    ['SIGINT', FAST_SHUTDOWN_MS],
    ['SIGQUIT', IMMEDIATE_SHUTDOWN_MS],
  ] as const) {
    askToEnd(server, signal);
    const deadline = performance.now() + limitMs;
    for (let pause = FIRST_PAUSE_MS; performance.now() < deadline; pause = Math.min(LAST_PAUSE_MS, pause * 1.5)) {
      if (!isRunning(server)) {
        return;
      }
      await delay(pause);
    }
  }
  throw new Error(`Postgres (process ${server.pid}) does not end.`);
}
