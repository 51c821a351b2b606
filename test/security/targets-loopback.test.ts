import { once } from 'node:events';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { startProgram } from '../support/program.js';
import { expectProblem, RestApi } from '../support/rest-api.js';

const closed = { ALLOW_HTTP_URLS: 'false', ALLOW_PRIVATE_TARGETS: '' };
const webhook = (url: string) => ({ json: { url, events: ['*'] } });

test('a loopback url is refused with a sentence that tells the operator how to allow it', async () => {
  await using api = await RestApi.open(closed);
  const answer = await api.ask('POST /webhooks', webhook('http://localhost:8080/hooks'));
  expectProblem(answer, 'invalid_input');
  expect(answer.text).toContain(
    'must begin with https:// (on a machine of your own, the setting ALLOW_LOOPBACK_TARGETS=true allows loopback addresses, over http:// too)',
  );
});

test('ALLOW_LOOPBACK_TARGETS=true takes loopback urls, and no other private ones', async () => {
  await using api = await RestApi.open({ ...closed, ALLOW_LOOPBACK_TARGETS: 'true' });
  const statusOf = async (url: string) => (await api.ask('POST /webhooks', webhook(url))).status;
  for (const url of ['http://localhost:8080/', 'http://127.0.0.1:22/', 'https://[::1]:8443/']) {
    expect([url, await statusOf(url)]).toEqual([url, 201]);
  }
  for (const url of ['http://10.0.0.1:8080/', 'http://example.com/', 'https://169.254.169.254/']) {
    expect([url, await statusOf(url)]).toEqual([url, 422]);
  }
});

let stack: DeliveryStack;
beforeEach(async () => {
  stack = await DeliveryStack.open();
});
afterEach(() => stack[Symbol.asyncDispose]());

/** What the program says at its start. */
async function startWith(more: Record<string, string>): Promise<string> {
  const [key] = stack.services.config.encryptionKeys ?? [];
  const child = startProgram(['start'], {
    DATABASE_URL: stack.databaseUrl,
    ENCRYPTION_KEYS: `${key!.kid}:${key!.key.toString('base64')}`,
    HOST: '127.0.0.1',
    PORT: '0',
    ...more,
  });
  const ended = once(child, 'exit');
  try {
    let log = '';
    child.stdout!.on('data', (chunk) => {
      log += chunk;
    });
    await eventually(() => log.includes('the API is listening'), 60_000);
    return log;
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

test('the log says at the start whether loopback targets are open, and warns where others reach the API', async () => {
  const alone = await startWith({ ALLOW_LOOPBACK_TARGETS: 'true' });
  expect(alone).toContain('"level":30');
  expect(alone).toContain('loopback targets are open: webhooks may point at any service of this machine');
  expect(alone).not.toContain('"level":40');
  const others = { ALLOW_PRIVATE_TARGETS: '127.0.0.1/32', TRUSTED_PROXIES: '10.0.0.1' };
  expect(await startWith(others)).toMatch(/"level":40.*loopback targets are open: everybody with a key/);
}, 240_000);
