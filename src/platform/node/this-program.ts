import { existsSync, realpathSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { packageFolder } from './version.js';

/**
 * How people in `cwd` call the program of a package: by its name if a shell finds that in the folders of `path`; else
 * by its file in a checkout; else by npx.
 *
 * @param folder of the package. A checkout and the image have the file `hookwright` there, a package of npm has not
 */
export function callOf(folder: string, { path, cwd }: { path: string; cwd: string }): string {
  const script = join(folder, 'hookwright');
  // npm puts folders of this name before the others for what it starts; a shell does not have them.
  const folders = path.split(delimiter).filter((one) => isAbsolute(one) && !one.endsWith(join('node_modules', '.bin')));
  const found = folders.map((one) => join(one, 'hookwright')).find(existsSync);
  if (found !== undefined && (isSame(found, script) || isSame(found, join(folder, 'bin/hookwright.js')))) {
    return 'hookwright';
  }
  if (existsSync(script)) {
    return isSame(cwd, folder) ? './hookwright' : script;
  }
  return 'npx hookwright';
}

/** Not where one of them is gone, or may not be read. */
function isSame(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    return false;
  }
}

/** How the reader of what this process prints calls its program: `${thisProgram} migrate`. */
export const thisProgram: string = callOf(packageFolder, { path: process.env['PATH'] ?? '', cwd: '.' });

/** The same for everybody who asks over HTTP: without the folders of this machine. */
export const namedProgram: string = isAbsolute(thisProgram) ? 'hookwright' : thisProgram;
