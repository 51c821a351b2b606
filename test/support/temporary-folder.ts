import { chmodSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import type {} from './global-setup.js'; // the type of what it provides

/**
 * A new folder, removed after the run together with a cluster that belongs to it.
 *
 * @param mode the default lets everybody enter: run by root, Postgres is another user's process
 */
export function temporaryFolder(mode = 0o755): string {
  const folder = mkdtempSync(join(inject('temporaryFolders'), 'folder-'));
  chmodSync(folder, mode);
  return folder;
}
