import { afterEach, beforeEach, expect, test } from 'vitest';
import { createNameResolver } from '../../daemon/sending/name-resolver.js';
import type { Sender } from '../../daemon/sending/send.js';
import { endsBefore } from '../support/ends-before.js';
import { type FakeDns, has, startFakeDns } from '../support/fake-dns.js';
import { openSender } from '../support/sender.js';

const answers = {
  'leads inside': has(['10.0.0.1'], { ttl: 60 }),
  'leads inside from many addresses': has(
    Array.from({ length: 20 }, (_, n) => `10.0.0.${n}`),
    { ttl: 60 },
  ),
  'does not exist': () => ({ code: 3 }),
  'has no addresses': () => ({}),
  'has a broken server': () => ({ code: 2 }),
};
const hosts = Object.keys(answers).map((what) => `${what.replaceAll(' ', '-')}.example.com`);

let dns: FakeDns;
let sender: Sender;
beforeEach(async () => {
  dns = await startFakeDns((name, type) => Object.values(answers)[hosts.indexOf(name)]!(name, type));
});
afterEach(async () => {
  await sender.close();
  await dns.close();
});

function open({ totalTimeoutMs = 15_000, connectTimeoutMs = 5_000 } = {}) {
  sender = openSender({
    policy: { allowHttp: true, allowedRanges: [], loopbackHttp: false },
    connectTimeoutMs,
    totalTimeoutMs,
    lookup: createNameResolver({ servers: [dns.server], timeoutMs: totalTimeoutMs / 4 }),
  });
}

/** What becomes of a request to this host, and how long it took until that was known. */
async function attempt(host: string) {
  const startedAt = performance.now();
  const result = await sender.send(`http://${host}/`, { headers: {}, body: Buffer.from('{}') });
  return { result, tookMs: performance.now() - startedAt };
}

test('a name that leads inside fails as late as one that leads nowhere, however often it is called', async () => {
  open();
  for (let round = 0; round < 3; round += 1) {
    for (const { result, tookMs } of await Promise.all(hosts.map(attempt))) {
      expect(result).toEqual({ kind: 'error', code: 'DNS_FAILED', durationMs: 1_000, sent: false });
      // Timers count in whole milliseconds.
      expect(tookMs).toBeGreaterThan(998);
    }
  }
});

test('a name that leads inside is asked for again as soon as one that leads nowhere', async () => {
  open();
  for (let round = 0; round < 3; round += 1) {
    await Promise.all(hosts.map(attempt));
  }
  const asked = (host: string) => dns.questions.filter((question) => question === `A ${host}`).length;
  expect(hosts.map(asked).filter((times) => times === 1)).toEqual([]);
});

test('what has failed ends with the attempt at the latest', async () => {
  open({ totalTimeoutMs: 400 });
  const attempted = attempt(hosts[0]!);
  // Otherwise it would be a second.
  expect(await endsBefore(990, attempted)).toBe(true);
  const { result } = await attempted;
  expect(result).toEqual({ kind: 'error', code: 'DNS_FAILED', durationMs: 400, sent: false });
});

test('a name whose servers say nothing until connecting takes too long reads like the others', async () => {
  open({ connectTimeoutMs: 50 });
  dns.answerWith(() => null);
  const { result } = await attempt(hosts[0]!);
  expect(result).toMatchObject({ kind: 'error', code: 'DNS_FAILED' });
  expect(result.durationMs % 1_000).toBe(0);
});
