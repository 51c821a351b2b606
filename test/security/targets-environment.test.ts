import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { LOCALHOST } from '../support/certificates.js';
import { startFakeProxy } from '../support/fake-proxy.js';
import { answersEach, response, startHostileReceiver } from '../support/hostile-receivers.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Node reads NODE_USE_ENV_PROXY and NODE_EXTRA_CA_CERTS when a process starts, so it takes one of its own. */
async function run(how: 'send' | 'fetch', url: string, env: Record<string, string>): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', 'test/support/send-once.ts', how, url],
    { cwd: root, timeout: 60_000, env: { PATH: process.env['PATH'] ?? '', ...env } },
  );
  return stdout;
}

test('a process that was told by its environment to use a proxy uses none for deliveries', async () => {
  // It answers whatever it is asked, CONNECT too.
  await using canary = await startHostileReceiver(answersEach(response(200)));
  await using receiver = await startHostileReceiver(answersEach(response(204)));
  const proxy = `http://127.0.0.1:${canary.port}`;
  const env = {
    NODE_USE_ENV_PROXY: '1',
    HTTP_PROXY: proxy,
    http_proxy: proxy,
    HTTPS_PROXY: proxy,
    ALL_PROXY: proxy,
  };
  expect(await run('send', receiver.url, env)).toBe('204');
  expect([canary.connections, receiver.connections]).toEqual([0, 1]);

  // Nor on the way to the proxy that the operator has set.
  await using chosen = await startFakeProxy(() => ({ port: receiver.port }));
  expect(await run('send', receiver.url, { ...env, TEST_EGRESS_PROXY: chosen.url })).toBe('204');
  expect([canary.connections, chosen.asked.length]).toEqual([0, 1]);

  // The environment is not an empty threat: Node itself obeys it.
  expect(await run('fetch', receiver.url, env)).toBe('200');
  expect(canary.connections).toBeGreaterThan(0);
}, 240_000);

test('a receiver whose certificate a private authority has signed is called when NODE_EXTRA_CA_CERTS names that', async () => {
  await using receiver = await startHostileReceiver(answersEach(response(200)), {
    tls: LOCALHOST,
    name: 'localhost',
  });
  const file = join(temporaryFolder(), 'authority.pem');
  await writeFile(file, LOCALHOST.cert);
  expect(await run('send', receiver.url, {})).toBe('TLS_CERTIFICATE_UNTRUSTED');
  expect(await run('send', receiver.url, { NODE_EXTRA_CA_CERTS: file })).toBe('200');
}, 240_000);
