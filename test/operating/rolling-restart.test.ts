import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SCOPES } from '../../src/domain/keys/scopes.js';
import { Load } from '../faults/support/emitters.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { makeKey } from '../support/factories.js';
import { ownPort } from '../support/loopback.js';
import { skipsNginxTests, startNginx } from '../support/nginx.js';
import { heard, startProgram } from '../support/program.js';

const SLOW = { timeout: 180_000 };
const RESTARTS = 3;

let stack: DeliveryStack;
let apiKey: string;
beforeAll(async () => {
  stack = await DeliveryStack.open();
  apiKey = (await makeKey(stack.services, stack.tenantId, SCOPES)).key;
});
afterAll(() => stack[Symbol.asyncDispose]());

/** @param wanted the port; 0: any free one */
async function startApi(wanted: number, delayMs = 1_000) {
  const [key] = stack.services.config.encryptionKeys ?? [];
  const api = startProgram(['api'], {
    DATABASE_URL: stack.databaseUrl,
    ENCRYPTION_KEYS: `${key!.kid}:${key!.key.toString('base64')}`,
    HOST: '127.0.0.1',
    PORT: String(wanted),
    SHUTDOWN_DELAY_MS: String(delayMs),
  });
  const said = heard(api);
  api.stderr!.pipe(process.stderr);
  const exit = once(api, 'exit') as Promise<[number | null]>;
  const port = Number(await eventually(() => /listening at http:\S+:(\d+)/.exec(said.output)?.[1], 60_000));
  await eventually(async () => (await fetch(`http://127.0.0.1:${port}/health/ready`)).ok, 60_000);
  return {
    api,
    port,
    exit,
    async [Symbol.asyncDispose]() {
      api.kill('SIGKILL');
      await exit;
    },
  };
}

test.skipIf(skipsNginxTests)('two APIs behind nginx are restarted in turn, and no emit notices', SLOW, async () => {
  const ports = [await ownPort(), await ownPort()];
  let running = await Promise.all(ports.map((port) => startApi(port)));
  try {
    await using nginx = await startNginx(ports);
    const load = new Load({ origin: nginx.origin, apiKey, name: 'rolling', events: 1_000_000, ratePerSecond: 130 });
    await load.reaches(100 / 1_000_000, 30_000);
    for (let restart = 0; restart < RESTARTS; restart++) {
      const index = restart % 2;
      const { api, exit } = running[index]!;
      api.kill('SIGTERM');
      expect(await exit).toEqual([0, null]);
      running = running.with(index, await startApi(ports[index]!));
    }
    const statuses = { ...load.statuses };
    await load.close();
    expect(Object.keys(statuses)).toEqual(['200']);
    expect(statuses['200']).toBeGreaterThan(RESTARTS * 130);
  } finally {
    await Promise.all(running.map((each) => each[Symbol.asyncDispose]()));
  }
});

/** Requests over one connection, as a proxy keeps it. */
function keptConnection(port: number) {
  const socket = connect(port, '127.0.0.1');
  let read = '';
  let hasEnded = false;
  socket.setEncoding('utf8').on('data', (text) => {
    read += text;
  });
  socket
    .on('error', () => {})
    .on('close', () => {
      hasEnded = true;
    });
  return {
    get hasEnded() {
      return hasEnded;
    },
    async get(path: string): Promise<string> {
      read = '';
      socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
      return eventually(() => /^HTTP[\s\S]*\r\n\r\n[\s\S]*\}/.exec(read)?.[0]);
    },
  };
}

test(
  'after SIGTERM an API is not ready and ends each connection with an answer; SIGINT ends it at once',
  SLOW,
  async () => {
    await using first = await startApi(0, 2_000);
    const { port } = first;
    const [used, idle] = [keptConnection(port), keptConnection(port)];
    await Promise.all([used.get('/health/live'), idle.get('/health/live')]);
    first.api.kill('SIGTERM');
    await eventually(async () => (await fetch(`http://127.0.0.1:${port}/health/ready`)).status === 503);
    expect(await used.get('/health/live')).toMatch(/^HTTP\/1\.1 200 [\s\S]*connection: close/i);
    await eventually(() => used.hasEnded);
    // New connections are refused after SHUTDOWN_DELAY_MS, and the idle one is still there.
    await eventually(() =>
      fetch(`http://127.0.0.1:${port}/health/live`).then(
        () => false,
        () => true,
      ),
    );
    expect(idle.hasEnded).toBe(false);
    expect(await idle.get('/health/live')).toMatch(/connection: close/i);
    expect(await first.exit).toEqual([0, null]);

    await using second = await startApi(0, 15_000);
    const begun = performance.now();
    second.api.kill('SIGINT');
    expect(await second.exit).toEqual([0, null]);
    expect(performance.now() - begun).toBeLessThan(10_000);
  },
);
