import { randomBytes } from 'node:crypto';
import { renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileSentence } from './file-sentence.js';

/**
 * Removes a lock that binds nobody any more. Two processes may find the same one, and the slower one must not remove
 * the new lock of the faster one. So it is moved aside first and only then looked at: one that is not stale goes back.
 *
 * @param isStale whether what was moved aside is what was found; also when it is gone
 * @throws Error with a sentence when it may not be moved: to try again would go on for ever
 */
export function removeStale(file: string, isStale: (aside: string) => boolean): void {
  const aside = `${file}.${process.pid}-${randomBytes(8).toString('hex')}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return; // the other process was faster
    }
    throw fileSentence(`The folder ${dirname(file)} cannot be used`, error);
  }
  if (isStale(aside)) {
    rmSync(aside, { force: true });
  } else {
    renameSync(aside, file);
  }
}
