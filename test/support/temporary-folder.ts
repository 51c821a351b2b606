import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { removeDataDir } from '../../src/embedded-postgres/embedded-postgres.js';

const folders: string[] = [];

afterAll(() => {
  for (const folder of folders.splice(0)) {
    removeDataDir(folder);
  }
});

/**
 * A new folder, removed after the file's tests together with a cluster that belongs to it.
 *
 * @param mode the default lets everybody enter: run by root, Postgres is another user's process
 */
export function temporaryFolder(mode = 0o755): string {
  const folder = mkdtempSync(join(tmpdir(), 'hookwright-embedded-'));
  folders.push(folder);
  chmodSync(folder, mode);
  return folder;
}
