import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readlinkSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileSentence } from './file-sentence.js';
import { makeFolder } from './make-folder.js';
import { removeStale } from './remove-stale.js';
import { findProcess } from './running-process.js';

const PAUSE_MS = 20;

export interface Lock {
  release(): void;
}

/**
 * Says that this process serves from the folder, for as long as it lives or until `release`. A claim outlives a
 * killed process but binds nobody then: it names its process by pid and start time, so neither a dead process nor a
 * stranger with its pid blocks the next start.
 *
 * @throws Error naming the folder and the other process's pid, when a running process holds the claim
 */
export function claimDataDir(dataDir: string): Lock {
  const lock = tryLock(claimFile(dataDir));
  if ('heldBy' in lock) {
    throw new Error(
      `Another Hookwright (process ${lock.heldBy}) is using the folder ${dataDir}. ` +
        'Stop that one first, or give this one a folder of its own: DATA_DIR=<folder>.',
    );
  }
  return lock;
}

function isClaimedByAnother(dataDir: string): boolean {
  const holder = holderOf(claimFile(dataDir));
  return holder?.running === true && holder.pid !== process.pid;
}

/** Is there a claim on the folder whose process has ended without releasing it? */
export function isClaimAbandoned(dataDir: string): boolean {
  return holderOf(claimFile(dataDir))?.running === false;
}

/** Runs `work` while no other process runs work under the same lock file; waits for its turn. */
export async function withLock<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  let lock = tryLock(file);
  while ('heldBy' in lock) {
    await delay(PAUSE_MS);
    lock = tryLock(file);
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/**
 * Says that this process works with the folder's Postgres, for as long as it lives or until `release`. As many may as
 * want to, also several times in one process.
 *
 * @throws Error with a sentence when the folder cannot be written
 */
export function enterUsers(dataDir: string): Lock {
  const file = join(usersFolder(dataDir), `${process.pid}-${randomBytes(4).toString('hex')}`);
  const mine = thisProcess();
  try {
    makeFolder(dirname(file));
    symlinkSync(mine, file);
  } catch (error) {
    throw unusable(file, error);
  }
  return { release: () => release(file, mine) };
}

/** Does a running process work with the folder's Postgres, or claim the folder? Forgets users that have ended. */
export function hasUsers(dataDir: string): boolean {
  let running = isClaimedByAnother(dataDir);
  const folder = usersFolder(dataDir);
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const file = join(folder, name);
    if (holderOf(file)?.running) {
      running = true;
    } else {
      rmSync(file, { force: true });
    }
  }
  return running;
}

const claimFile = (dataDir: string) => join(dataDir, 'lock');
const usersFolder = (dataDir: string) => join(dataDir, 'pg-users');

/**
 * The lock is a symbolic link whose target names the holder. A link is made in one step together with its target, so
 * nobody ever reads a lock that is half written.
 */
function tryLock(file: string): Lock | { heldBy: number } {
  const mine = thisProcess();
  try {
    makeFolder(dirname(file));
  } catch (error) {
    throw unusable(file, error);
  }
  for (;;) {
    try {
      symlinkSync(mine, file);
      return { release: () => release(file, mine) };
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) {
        throw unusable(file, error);
      }
    }
    const holder = holderOf(file);
    if (holder?.running) {
      return { heldBy: holder.pid };
    }
    if (holder !== null) {
      removeStale(file, (aside) => [holder.text, null].includes(linkTarget(aside)));
    }
  }
}

const thisProcess = () => `${process.pid}-${findProcess(process.pid)?.startedAt}`;

function holderOf(file: string): { pid: number; running: boolean; text: string } | null {
  const text = linkTarget(file);
  if (text === null) {
    return null;
  }
  const dash = text.indexOf('-');
  const pid = Number(text.slice(0, dash));
  return { pid, running: findProcess(pid)?.startedAt === text.slice(dash + 1), text };
}

const hasCode = (error: unknown, code: string) => (error as NodeJS.ErrnoException).code === code;

const unusable = (file: string, error: unknown) => fileSentence(`The folder ${dirname(file)} cannot be used`, error);

function release(file: string, mine: string): void {
  if (linkTarget(file) === mine) {
    unlinkSync(file);
  }
}

function linkTarget(file: string): string | null {
  try {
    return readlinkSync(file);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) {
      return null;
    }
    if (hasCode(error, 'EACCES') || hasCode(error, 'ENOTDIR')) {
      throw unusable(file, error);
    }
    throw new Error(`${file} is not a lock of Hookwright: if no Hookwright is running, remove it.`, {
      cause: error,
    });
  }
}
