import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';

/** The user that Postgres runs as; null: our own. */
export type Account = { uid: number; gid: number } | null;

/** Postgres refuses to run as root: then it runs as the owner of the cluster, as `postgres` or as `nobody`. */
export function serverAccount(cluster: string): Account {
  if (process.getuid?.() !== 0) {
    return null;
  }
  const owner = statSync(cluster, { throwIfNoEntry: false });
  if (owner !== undefined && owner.uid !== 0) {
    return { uid: owner.uid, gid: owner.gid };
  }
  const account = lookUp('postgres') ?? lookUp('nobody');
  if (account === null) {
    throw new Error(
      'Postgres does not run as root, and this machine has neither a user "postgres" nor "nobody" to run it as. ' +
        'Start Hookwright as an ordinary user, or set DATABASE_URL.',
    );
  }
  return account;
}

/** `id` and not /etc/passwd: users may live in a directory service. */
function lookUp(user: string): Account {
  const [uid, gid] = ['-u', '-g'].map((which) => {
    const { status, stdout } = spawnSync('id', [which, user], { encoding: 'utf8' });
    return status === 0 ? Number(stdout) : Number.NaN;
  });
  return Number.isInteger(uid) && Number.isInteger(gid) ? { uid: uid!, gid: gid! } : null;
}

/**
 * @returns why our user may not use the path within the data folder, as the end of a sentence that says what to do;
 *   null when the path is ours, or is not seen
 */
export function ownedByAnother(path: string, dataDir: string): string | null {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  const owner = ownerOf(path);
  if (owner === undefined || uid === 0 || owner === uid) {
    return null;
  }
  const remedy = hasOtherFiles(dataDir)
    ? 'Name a folder of its own in DATA_DIR'
    : `As root run "chown -R ${uid}:${gid} ${dataDir}", or start Hookwright as user ${owner}`;
  return `${path} belongs to user ${owner}, and Hookwright runs as user ${uid}. ${remedy}`;
}

/** Whether it is the folder of something else, such as `/`, whose files must keep their owner. */
function hasOtherFiles(dataDir: string): boolean {
  try {
    const names = readdirSync(dataDir).filter((name) => name !== 'lost+found');
    return names.length > 0 && !names.some((name) => /^(service\.lock|pg|pg-location)$/.test(name));
  } catch {
    return false;
  }
}

function ownerOf(path: string): number | undefined {
  try {
    return statSync(path).uid;
  } catch {
    return undefined; // it is not there, or lies where our user may not go
  }
}

/** How a program is started as the account. Never in our working directory, which the account may not enter. */
export function spawnAs(account: Account) {
  // A fresh environment: PGDATA, PGOPTIONS and the like of our caller are meant for another server.
  const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
  return { ...account, cwd: '/', env };
}

/** Whether the account may enter the folder. Tried, not computed: modes do not show ACLs and mounts. */
export function canEnter(account: Account, folder: string): boolean {
  return account === null || spawnSync('/bin/sh', ['-c', 'cd -- "$0"', folder], spawnAs(account)).status === 0;
}

export function giveTo(account: Account, path: string): void {
  if (account !== null) {
    const { stderr, status } = spawnSync('chown', ['-hR', `${account.uid}:${account.gid}`, path], { encoding: 'utf8' });
    if (status !== 0) {
      throw new Error(stderr.trim());
    }
  }
}
