import { spawnSync } from 'node:child_process';
import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileSentence } from './file-sentence.js';

/** What is left of a server that was killed ends within moments. */
const WAIT_MS = 2_000;
const PAUSE_MS = 20;
/** flock(1): somebody else has the lock. */
const TAKEN = 1;

/**
 * The right to serve from a data folder: a lock of the kernel on a file in it. The server inherits it, and it ends with
 * the last process of the server: so it holds also where a claim is not renewed any more, because whoever started the
 * server was killed or stands still. No clock is asked. It is seen from all containers of a machine.
 */
interface ServerLock {
  /** For the server to inherit; undefined: such a lock cannot be had here. */
  fd: number | undefined;
  /** Leaves it to the server, or gives it up where there is none. */
  leave(): void;
}

/**
 * @param warn gets a line where no lock can be had
 * @throws Error with a sentence, when a server has it
 */
export async function lockServer(dataDir: string, warn: (line: string) => void): Promise<ServerLock> {
  const file = join(dataDir, 'pg-server');
  const until = performance.now() + WAIT_MS;
  for (;;) {
    const lock = tryLock(file, warn);
    if (lock !== null) {
      return lock;
    }
    if (performance.now() >= until) {
      throw new Error(
        `A Postgres that cannot be seen from here serves from the folder ${dataDir}; it was started ${starterOf(file)}. ` +
          'Two on one folder destroy it. End that one first, or give this one a folder of its own: DATA_DIR=<folder>.',
      );
    }
    await delay(PAUSE_MS);
  }
}

/** @returns null when somebody else has it */
function tryLock(file: string, warn: (line: string) => void): ServerLock | null {
  if (process.platform !== 'linux') {
    return { fd: undefined, leave: () => {} };
  }
  const fd = open(file);
  // Node has no call for it. A lock of flock(2) belongs to what was opened, which the program shares with us.
  const { status, error, stderr } = spawnSync('flock', ['-n', '-x', '3'], {
    stdio: ['ignore', 'ignore', 'pipe', fd],
    encoding: 'utf8',
  });
  if (status === TAKEN) {
    closeSync(fd);
    return null;
  }
  if (status !== 0) {
    closeSync(fd);
    const why = error?.message ?? (stderr.trim() || `flock ended with ${status}`);
    warn(
      `${file} cannot be locked, so a Postgres that outlives its Hookwright would not be seen from another container: ${why}`,
    );
    return { fd: undefined, leave: () => {} };
  }
  ftruncateSync(fd);
  writeSync(fd, `${hostname()}\n`);
  return { fd, leave: () => closeSync(fd) };
}

function open(file: string): number {
  try {
    return openSync(file, 'a', 0o600);
  } catch (error) {
    throw fileSentence(`${file} cannot be written`, error);
  }
}

/** In a container its host's name is its id. */
function starterOf(file: string): string {
  try {
    return `on the host or in the container ${readFileSync(file, 'utf8').trim()}`;
  } catch {
    return 'elsewhere';
  }
}
