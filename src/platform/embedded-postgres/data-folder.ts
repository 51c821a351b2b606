import { join } from 'node:path';
import { type FileLock, lock, lockedBy, tryLock } from './file-lock.js';

/** Advice where a folder is in use. */
export const TAKE_ANOTHER = 'or give this one a folder of its own: DATA_DIR=<folder>.';

/**
 * Locks the folder for the one service that may work with it.
 *
 * @throws Error with a sentence when another service uses it, or it cannot be written
 */
export function lockDataFolder(dataDir: string): FileLock {
  const file = join(dataDir, 'service.lock');
  const taken = tryLock(file);
  if (taken === null) {
    throw new Error(
      `Another Hookwright (${lockedBy(file)}) is using the folder ${dataDir}. Stop that one first, ${TAKE_ANOTHER}`,
    );
  }
  return taken;
}

/** Two starts must not both make the cluster, nor one process end the server that another one finds. */
export async function whileNoOtherStarts<Result>(dataDir: string, work: () => Promise<Result>): Promise<Result> {
  const starting = await lock(join(dataDir, 'pg-start.lock'));
  try {
    return await work();
  } finally {
    starting.release();
  }
}

const usersFile = (dataDir: string) => join(dataDir, 'pg-users.lock');

/** Every process that works with the folder's Postgres has this lock; the last one to release it ends the server. */
export const enterUsers = (dataDir: string): Promise<FileLock> => lock(usersFile(dataDir), 'shared');

export function hasUsers(dataDir: string): boolean {
  const alone = tryLock(usersFile(dataDir));
  alone?.release();
  return alone === null;
}
