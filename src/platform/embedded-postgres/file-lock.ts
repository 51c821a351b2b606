import { spawnSync } from 'node:child_process';
import { closeSync, constants, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ownedByAnother } from './account.js';

const PAUSE_MS = 20;
/** flock(1) ends with it when somebody else has the lock. */
const TAKEN = 1;
/** Flags of open(2) on macOS, which Node passes on. */
const MAC_LOCKS = { shared: 0x10, exclusive: 0x20 };

type Kind = keyof typeof MAC_LOCKS;

/**
 * A lock of the kernel on a file, seen from all containers of the machine. It ends with the last process that has the
 * file open, so a killed process locks nothing. The file stays.
 */
export interface FileLock {
  /** A child process that inherits it has the lock too. */
  readonly fd: number;
  /** May be called again. */
  release(): void;
}

/**
 * Makes the file's folder where it is missing, and writes into the file who has locked it.
 *
 * @returns null when another process has the lock, or this one by an earlier call
 * @throws Error with a sentence when the folder cannot be written, or keeps no locks
 */
export function tryLock(file: string, kind: Kind = 'exclusive'): FileLock | null {
  const isMac = process.platform === 'darwin';
  try {
    mkdirSync(dirname(file), { recursive: true });
    const flags = isMac ? constants.O_NONBLOCK | MAC_LOCKS[kind] : 0;
    const fd = openSync(file, constants.O_RDWR | constants.O_CREAT | flags, 0o600);
    if (!isMac && !flock(fd, kind, file)) {
      closeSync(fd);
      return null;
    }
    if (kind === 'exclusive') {
      ftruncateSync(fd);
      writeSync(fd, `process ${process.pid} on ${hostname()}\n`);
    }
    let isOpen = true;
    const release = () => {
      if (isOpen) {
        isOpen = false;
        closeSync(fd);
      }
    };
    return { fd, release };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EAGAIN') {
      return null; // macOS
    }
    if (code === undefined) {
      throw error;
    }
    const folder = dirname(file);
    const why = code === 'EACCES' ? (ownedByAnother(folder, folder) ?? ownedByAnother(file, folder)) : null;
    throw new Error(`The folder ${folder} cannot be used: ${why ?? message}.`, { cause: error });
  }
}

/** Node has no call for it. The lock belongs to the open file, which the program shares with this process. */
function flock(fd: number, kind: Kind, file: string): boolean {
  const { status, error, stderr } = spawnSync('flock', ['-n', kind === 'shared' ? '-s' : '-x', '3'], {
    stdio: ['ignore', 'ignore', 'pipe', fd],
    encoding: 'utf8',
  });
  if (status !== 0 && status !== TAKEN) {
    closeSync(fd);
    throw new Error(
      `${file} cannot be locked (${error?.message ?? (stderr.trim() || `flock ended with ${status}`)}). The built-in ` +
        'Postgres needs the program flock, of util-linux, and a file system that keeps locks; or set DATABASE_URL.',
    );
  }
  return status === 0;
}

/** Waits for the lock. */
export async function lock(file: string, kind: Kind = 'exclusive'): Promise<FileLock> {
  for (;;) {
    const taken = tryLock(file, kind);
    if (taken !== null) {
      return taken;
    }
    await delay(PAUSE_MS);
  }
}

/** @returns who has locked the file last; in a container its host's name is its id */
export const lockedBy = (file: string): string => readFileSync(file, 'utf8').trim();
