import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUILT_FOLDER } from '../../../src/api/dashboard/pages.js';
import { temporaryFolder } from '../temporary-folder.js';

/** The pages as the next version would bring them: all their files have other names. @returns their folder */
export function otherBuild(): string {
  const folder = temporaryFolder();
  cpSync(BUILT_FOLDER, folder, { recursive: true });
  const assets = join(folder, 'assets');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (name.endsWith('.br')) {
      rmSync(join(folder, name));
    }
  }
  const names = readdirSync(assets);
  const rename = (name: string) => name.replace(/\.\w+$/, '_next$&');
  const known = new RegExp(names.map((name) => name.replaceAll('.', '\\.')).join('|'), 'g');
  for (const file of [join(folder, 'portal.html'), ...names.map((name) => join(assets, name))]) {
    if (/\.(js|css|html)$/.test(file)) {
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll(known, rename));
    }
  }
  for (const name of names) {
    renameSync(join(assets, name), join(assets, rename(name)));
  }
  return folder;
}
