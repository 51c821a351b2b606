import { createServer, type Socket } from 'node:net';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { ControlConnection } from '../../daemon/liveness/control-connection.js';
import { listenForChanges } from '../../src/api/live/change-listener.js';
import { tryLockPool, unlockPool } from '../../src/platform/graphile-worker/worker-pools.js';
import { createTestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { listen } from '../support/loopback.js';
import { watchedLog } from '../support/plaintext.js';

const log = watchedLog();
const noSweep = { sweep: async () => false, startOver: () => {} };

describe('to a server that takes connections and never says a word', () => {
  test.each([
    ['control', (url: string) => new ControlConnection({ url, log, deadWorkers: noSweep })],
    ['changes', (url: string) => listenForChanges(url, log, () => {})],
  ])('a connection that is being made can be given up: %s', async (_, open) => {
    const taken: Socket[] = [];
    const server = createServer((socket) => taken.push(socket.on('error', () => {})));
    const port = await listen(server);
    const connection = open(`postgres://nobody@127.0.0.1:${port}/nothing`);
    await eventually(() => taken.length > 0);
    await connection.stop();
    server.close();
  });
});

test("a daemon's lock that another session had is taken before others would give up its jobs", async () => {
  const { url, drop } = await createTestDatabase();
  const earlier = new pg.Client(url);
  await earlier.connect();
  expect(await tryLockPool(earlier, 'pool-a')).toBe(true);
  let beats = 0;
  const sweep = async () => {
    beats += 1;
    return false;
  };
  const control = new ControlConnection({ url, log, deadWorkers: { ...noSweep, sweep } });
  let locked = false;
  const held = control.lockPool('pool-a').then(() => {
    locked = true;
  });
  await eventually(() => beats > 0);
  const [before, startedAt] = [beats, performance.now()];
  await eventually(() => beats === before + 6);
  // Others wait for a second. With a beat a second this would take six.
  expect(performance.now() - startedAt).toBeLessThan(4_500);
  expect(locked).toBe(false);
  await unlockPool(earlier, 'pool-a');
  await held;
  await control.stop();
  await earlier.end();
  await drop();
});
