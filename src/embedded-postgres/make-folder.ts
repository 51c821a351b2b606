import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it; one that is there is left as it is. As `mkdirSync` with `recursive`, but that one
 * never ends where the system says that something is missing although the folder above is there (/proc, for one).
 *
 * @throws Error of the file system
 */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && !isFolder(dirname(folder))) {
      makeFolder(dirname(folder));
      makeFolder(folder);
    } else if (code !== 'EEXIST' || !isFolder(folder)) {
      throw error;
    }
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
