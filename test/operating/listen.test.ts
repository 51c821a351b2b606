import { networkInterfaces } from 'node:os';
import Fastify from 'fastify';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { listen, requireFreePort } from '../../src/cli/listen.js';
import { startMetricsServer } from '../../src/platform/telemetry/metrics-server.js';

const loopbacks = Object.values(networkInterfaces())
  .flat()
  .flatMap((one) => (one?.internal ? [one.address] : []));

test.each([
  [3000, 3001],
  [65_534, 65_535],
  [65_535, 65_534],
])('for port %d, which is taken, port %d is suggested', async (port, another) => {
  const taken = () => Promise.reject(Object.assign(new Error('taken'), { code: 'EADDRINUSE' }));
  await expect(listen('PORT', { host: '127.0.0.1', port }, taken)).rejects.toThrow(
    `Port ${port} on 127.0.0.1 is taken. Free it, or choose another: PORT=${another}.`,
  );
});

test.each([
  ['::1', 'EAFNOSUPPORT', 'HOST is "::1", an IPv6 address, and this machine has no IPv6 (EAFNOSUPPORT).'],
  ['nowhere', 'ENOTFOUND', 'HOST is "nowhere", which is not an address of this machine (ENOTFOUND).'],
  ['nowhere', 'EAI_FAIL', 'HOST is "nowhere", which is not an address of this machine (EAI_FAIL).'],
])('a host that cannot be listened on is told with what is allowed: %s (%s)', async (host, code, reason) => {
  const refused = () => Promise.reject(Object.assign(new Error(`listen ${code} ${host}`), { code }));
  await expect(listen('PORT', { host, port: 3000 }, refused)).rejects.toThrow(
    `${reason} Allowed: one of its own, 127.0.0.1 for this machine alone, or :: for all.`,
  );
});

test.skipIf(!loopbacks.includes('::1'))('on :: IPv6 and IPv4 are answered', async () => {
  await requireFreePort('METRICS_PORT', { host: '::', port: 0 });
  const server = await listen('METRICS_PORT', { host: '::', port: 0 }, (at) => startMetricsServer(new Registry(), at));
  const { port } = new URL(server.url);
  for (const host of ['127.0.0.1', '[::1]']) {
    expect((await fetch(`http://${host}:${port}/health/live`)).status).toBe(200);
  }
  await server.close();
});

test.each(['EAFNOSUPPORT', 'EADDRNOTAVAIL'])('without IPv6 (%s), :: is all of IPv4', async (code) => {
  const app = Fastify();
  app.get('/', async () => 'here');
  const asked: string[] = [];
  const url = await listen('PORT', { host: '::', port: 0 }, async ({ host, port }) => {
    asked.push(host);
    // An address that no machine has: the same server has failed once, as it does without IPv6.
    const start = app.listen({ host: host === '::' ? '192.0.2.1' : host, port });
    return start.catch((error: Error) => Promise.reject(Object.assign(error, { code })));
  });
  expect(asked).toEqual(['::', '0.0.0.0']);
  expect(await (await fetch(`http://127.0.0.1:${new URL(url).port}`)).text()).toBe('here');
  await app.close();
});
