import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { type Account, canEnter, giveTo, ownedByAnother, serverAccount, spawnAs } from './account.js';
import { SHARED_FOLDER } from './binaries.js';

/** The role that initdb makes. The service itself uses one with fewer rights. */
export const SUPERUSER = 'postgres';

export interface Cluster {
  /** Postgres's data directory. */
  folder: string;
  passwordFile: string;
  account: Account;
}

/**
 * Finds the cluster of a data folder, or chooses a folder for a new one: `<dataDir>/pg`, or, when the account that
 * Postgres runs as may not enter the data folder, one under /var/lib/hookwright that `<dataDir>/pg-location` names.
 * That file and not a computed name leads there: it moves along with the data folder, and is deleted with it.
 *
 * @throws Error with a sentence when the cluster belongs to another user, or no folder can be made
 */
export function locateCluster(dataDir: string): Cluster {
  try {
    mkdirSync(dataDir, { recursive: true });
    const here = realpathSync(dataDir);
    const elsewhere = locationElsewhere(here);
    const cluster = clusterIn(elsewhere ?? here);
    if (elsewhere !== null || canEnter(cluster.account, here)) {
      return cluster;
    }
    if (existsSync(cluster.folder)) {
      throw new Error(`user ${cluster.account?.uid}, who owns it, may not enter ${here}`);
    }
    return clusterIn(makeLocationElsewhere(here));
  } catch (error) {
    throw new Error(`The database folder in ${dataDir} cannot be used: ${(error as Error).message}.`, { cause: error });
  }
}

function clusterIn(home: string): Cluster {
  const folder = join(home, 'pg');
  const why = ownedByAnother(folder, home);
  if (why !== null) {
    throw new Error(why);
  }
  return { folder, passwordFile: join(home, 'pg-password'), account: serverAccount(folder) };
}

const locationFile = (dataDir: string) => join(dataDir, 'pg-location');

/** @returns the folder of the cluster, where it is not in the data folder; else null */
export function locationElsewhere(dataDir: string): string | null {
  return existsSync(locationFile(dataDir)) ? readFileSync(locationFile(dataDir), 'utf8').trim() : null;
}

function makeLocationElsewhere(dataDir: string): string {
  mkdirSync(SHARED_FOLDER, { recursive: true, mode: 0o755 });
  // The random end keeps a new data folder of the same name away from the cluster of a deleted one.
  const home = mkdtempSync(join(SHARED_FOLDER, `${basename(dataDir)}-`));
  chmodSync(home, 0o755);
  writeFileSync(locationFile(dataDir), `${home}\n`);
  return home;
}

/** Removes the cluster too: its server must have been stopped. */
export function removeDataDir(dataDir: string): void {
  const elsewhere = locationElsewhere(dataDir);
  for (const folder of elsewhere === null ? [dataDir] : [elsewhere, dataDir]) {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Whether a data folder has a cluster, even another user's. */
export function hasCluster(dataDir: string): boolean {
  try {
    statSync(join(locationElsewhere(dataDir) ?? dataDir, 'pg', 'PG_VERSION'));
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES';
  }
}

export const isInitialised = ({ folder }: Cluster) => existsSync(join(folder, 'PG_VERSION'));

/**
 * Makes the cluster: UTF-8, the C locale (sorting that no update of the system's libraries can change under an
 * index), a random password (`scram-sha-256`, since any user of the machine can connect to a loopback port).
 *
 * @throws Error with initdb's message
 */
export function initialise({ folder, passwordFile, account }: Cluster, binaries: string, ephemeral: boolean): void {
  // Made under another name: an initdb that was broken off must never pass for a cluster.
  const unfinished = `${folder}.new`;
  try {
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { mode: 0o700 });
    rmSync(passwordFile, { force: true });
    writeFileSync(passwordFile, `${randomBytes(24).toString('hex')}\n`, { mode: 0o600, flush: true });
    giveTo(account, unfinished);
    giveTo(account, passwordFile);
  } catch (error) {
    throw new Error(`A database cannot be made in ${folder}: ${(error as Error).message}.`, { cause: error });
  }
  const { status, error, stdout, stderr } = spawnSync(
    join(binaries, 'bin', 'initdb'),
    [
      ...['-D', unfinished, '-U', SUPERUSER, `--pwfile=${passwordFile}`, '--auth=scram-sha-256'],
      ...['-E', 'UTF8', '--locale=C', '--no-instructions', ...(ephemeral ? ['--no-sync'] : [])],
    ],
    { ...spawnAs(account), encoding: 'utf8' },
  );
  if (status !== 0) {
    const said = error?.message ?? (stderr.trim() || stdout.trim());
    const advice = said.includes('could not look up effective user ID')
      ? '\nPostgres needs a name for the user that it runs as: start Hookwright as a user with a name, or set DATABASE_URL.'
      : '';
    throw new Error(`A database cannot be made in ${folder}; initdb said: ${said}${advice}`);
  }
  renameSync(unfinished, folder);
}

/**
 * Prepares a cluster that may be a copy put back: copies have other modes and owners, which Postgres refuses.
 *
 * @throws Error with a sentence when its password is lost
 */
export function adopt(cluster: Cluster): void {
  const { folder, passwordFile, account } = cluster;
  readPassword(cluster);
  if (account !== null && statSync(folder).uid !== account.uid) {
    giveTo(account, folder);
    giveTo(account, passwordFile);
  }
  chmodSync(folder, 0o700);
  chmodSync(passwordFile, 0o600);
}

/** @throws Error with a sentence when the file has been lost */
export function readPassword({ folder, passwordFile }: Cluster): string {
  try {
    return readFileSync(passwordFile, 'utf8').trim();
  } catch (error) {
    throw new Error(
      `The password of the database in ${folder} cannot be read from ${passwordFile}. ` +
        'Put the file back from a copy; or remove the database folder as well, to begin again.',
      { cause: error },
    );
  }
}
