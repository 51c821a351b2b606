import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { eventually } from './eventually.js';
import { ownPort } from './loopback.js';
import { temporaryFolder } from './temporary-folder.js';

const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
const found = folders.map((folder) => join(folder, 'haproxy')).find((path) => existsSync(path));

/** Where there is no HAProxy people go on without the tests that need one; CI does not. */
export const skipsHaproxyTests = process.env['CI'] !== 'true' && found === undefined;

const settings = readFileSync(new URL('../../ops/haproxy/cells.cfg', import.meta.url), 'utf8');

/**
 * Debian's HAProxy with ops/haproxy/cells.cfg, on loopback and without TLS.
 *
 * @param ports of the APIs of cell 0 and cell 1
 * @param moved lines of moved.map
 */
export async function startHaproxy(
  ports: readonly number[],
  moved: readonly string[],
): Promise<{ origin: string; socket: string; map: string } & AsyncDisposable> {
  if (found === undefined) {
    throw new Error('There is no HAProxy. Install it (on Debian: apt-get install haproxy).');
  }
  const folder = temporaryFolder();
  const port = await ownPort();
  const map = join(folder, 'moved.map');
  writeFileSync(map, `${moved.join('\n')}\n`);
  const servers = ports.map((api, cell) => `server c${cell}a 127.0.0.1:${api}`);
  const own = settings
    .replace(/bind :443 .*/, `bind 127.0.0.1:${port}`)
    .replaceAll('/etc/haproxy/moved.map', map)
    // Cells that are down are known soon. A busy machine may be slow to answer, as it may be to one who asks every 2 s.
    .replaceAll('check inter 2s', 'check inter 200ms')
    .replace('timeout connect 3s', 'timeout connect 3s\n  timeout check 2s')
    .replaceAll(/server c(\d)a .*\n {2}server .*/g, (_, cell: string) => servers[Number(cell)]!);
  const socket = join(folder, 'admin.sock');
  writeFileSync(join(folder, 'cells.cfg'), `global\n  stats socket ${socket} level admin\n${own}`);
  const haproxy = spawn(found, ['-db', '-q', '-f', join(folder, 'cells.cfg')], { stdio: 'inherit' });
  const ended = once(haproxy, 'exit');
  const origin = `http://127.0.0.1:${port}`;
  await eventually(async () => (await fetch(`${origin}/health/live`)).ok);
  return {
    origin,
    socket,
    map,
    async [Symbol.asyncDispose]() {
      haproxy.kill('SIGTERM');
      await ended;
    },
  };
}
