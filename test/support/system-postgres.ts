import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { giveTo, serverAccount, spawnAs } from '../../src/platform/embedded-postgres/account.js';
import { eventually } from './eventually.js';
import { ownPort } from './loopback.js';
import { onServer } from './on-server.js';
import { temporaryFolder } from './temporary-folder.js';

const programs = ['initdb', 'postgres', 'pg_dump', 'pg_restore', 'psql'];

/** @returns the folder of the newest Postgres of this machine that has server and clients; null: there is none */
export function systemPostgres(): string | null {
  const debian = '/usr/lib/postgresql';
  const major = (name: string) => Number.parseInt(name, 10);
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => major(b) - major(a)) : [];
  const { stdout } = spawnSync('sh', ['-c', 'command -v psql'], { encoding: 'utf8' });
  const folders = versions.map((version) => join(debian, version, 'bin'));
  if (stdout.trim() !== '') {
    folders.push(dirname(realpathSync(stdout.trim())));
  }
  return folders.find((folder) => programs.every((program) => existsSync(join(folder, program)))) ?? null;
}

/** A new, empty server, as an administrator finds it. @param programs the folder of its programs */
export async function startSystemPostgres(bin: string): Promise<{ url: string; close(): Promise<void> }> {
  const folder = join(temporaryFolder(), 'pg');
  mkdirSync(folder, { mode: 0o700 });
  const account = serverAccount(folder);
  giveTo(account, folder);
  const as = spawnAs(account);
  const { status, stderr } = spawnSync(
    join(bin, 'initdb'),
    ['-D', folder, '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...as, encoding: 'utf8' },
  );
  if (status !== 0) {
    throw new Error(stderr);
  }
  const port = await ownPort();
  const options = ['listen_addresses=127.0.0.1', 'unix_socket_directories='].flatMap((option) => ['-c', option]);
  const server = spawn(join(bin, 'postgres'), ['-D', folder, '-p', `${port}`, ...options], { ...as, stdio: 'ignore' });
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  await eventually(async () => {
    await onServer(url, (client) => client.query('select 1'));
    return true;
  }, 30_000);
  return {
    url,
    async close() {
      server.kill('SIGINT');
      await once(server, 'exit');
    },
  };
}
