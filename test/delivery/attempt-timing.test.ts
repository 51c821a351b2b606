import { setTimeout as delay } from 'node:timers/promises';
import { setDefaultCACertificates, type TLSSocket } from 'node:tls';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { NameResolver } from '../../daemon/sending/name-resolver.js';
import type { SenderOptions } from '../../daemon/sending/send.js';
import type { AttemptTiming, SendResult } from '../../src/domain/deliveries/outcome.js';
import { AUTHORITY, EXPIRED, GOOD, KEY } from '../support/certificates.js';
import { eventually } from '../support/eventually.js';
import { startFakeProxy } from '../support/fake-proxy.js';
import {
  answersEach,
  type Misbehaviour,
  type ReceiverOptions,
  response,
  startHostileReceiver,
} from '../support/hostile-receivers.js';
import { leadsTo, openSender } from '../support/sender.js';

beforeAll(() => setDefaultCACertificates([AUTHORITY]));

/** How long what is made slow takes at least, as rounded. */
const SLOW_MS = 150;
const request = { headers: {}, body: Buffer.from('{}') };

const slowly: NameResolver = () => delay(SLOW_MS + 5, [{ address: '127.0.0.1', family: 4 }]);

function sender(options: Partial<SenderOptions> = {}) {
  const made = openSender({ lookup: slowly, ...options });
  onTestFinished(() => made.close());
  return made;
}

async function receiver(misbehave: Misbehaviour = answersEach(response(200)), options?: ReceiverOptions) {
  const started = await startHostileReceiver(misbehave, options);
  onTestFinished(() => started.close());
  return started;
}

function timingOf({ timing, durationMs }: SendResult): AttemptTiming {
  expect(timing).toBeTruthy();
  const parts = Object.values(timing!).map((ms: number | null) => ms ?? 0);
  // Each is rounded by itself.
  expect(parts.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(durationMs + 3);
  for (const ms of parts) {
    expect(Number.isInteger(ms)).toBe(true);
    expect(ms).toBeGreaterThanOrEqual(0);
  }
  return timing!;
}
const some = expect.any(Number);
const reused = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: some };

/** undici lends a connection again only after a turn of the event loop, and may open another until then. */
const onTheSameConnection = (send: () => Promise<SendResult>): Promise<AttemptTiming> =>
  eventually(async () => {
    const timing = timingOf(await send());
    return timing.connectMs === null && timing;
  });

describe('the timing of an attempt', () => {
  test('has its parts on a new connection, and none of them on one that was there', async () => {
    const good = await receiver();
    const by = sender();
    const url = `http://receiver.example.com:${good.port}/`;
    const first = timingOf(await by.send(url, request));
    expect(first).toEqual({ dnsMs: some, connectMs: some, tlsMs: null, firstByteMs: some });
    expect(first.dnsMs).toBeGreaterThanOrEqual(SLOW_MS);
    expect(await onTheSameConnection(() => by.send(url, request))).toEqual(reused);
  });

  test('tells a tenant nothing of the connections that others have', async () => {
    const good = await receiver();
    const by = sender();
    const url = `http://receiver.example.com:${good.port}/`;
    await by.send(url, request, 1);
    expect(await onTheSameConnection(() => by.send(url, request, 1))).toEqual(reused);
    const { connections } = good;
    const ofOther = timingOf(await by.send(url, request, 2));
    expect(ofOther).toEqual({ dnsMs: some, connectMs: some, tlsMs: null, firstByteMs: some });
    expect(good.connections).toBe(connections + 1);
    expect(await onTheSameConnection(() => by.send(url, request, 2))).toEqual(reused);
  });

  test('tells a tenant nothing of the TLS sessions that others have', async () => {
    const resumed: boolean[] = [];
    const answer = answersEach(response(200));
    const handle: typeof answer = (socket, bytes) => {
      resumed.push((socket as TLSSocket).isSessionReused());
      answer(socket, bytes);
    };
    const good = await receiver(handle, { tls: { key: KEY, cert: GOOD } });
    const by = sender();
    for (const tenantId of [1, 2, 3]) {
      await by.send(`https://receiver.example.com:${good.port}/`, request, tenantId);
    }
    expect(resumed).toEqual([false, false, false]);
  });

  test('has no name to resolve for an address', async () => {
    const good = await receiver();
    const timing = timingOf(await sender().send(good.url, request));
    expect(timing).toEqual({ dnsMs: null, connectMs: some, tlsMs: null, firstByteMs: some });
  });

  test('has the handshake with TLS, unless that failed', async () => {
    const good = await receiver(answersEach(response(200)), { tls: { key: KEY, cert: GOOD } });
    const url = `https://receiver.example.com:${good.port}/`;
    const timing = timingOf(await sender().send(url, request));
    expect(timing).toEqual({ dnsMs: some, connectMs: some, tlsMs: some, firstByteMs: some });
    const expired = await receiver(answersEach(response(200)), { tls: { key: KEY, cert: EXPIRED } });
    const failed = await sender().send(`https://receiver.example.com:${expired.port}/`, request);
    expect(failed).toMatchObject({ kind: 'error', code: 'TLS_CERTIFICATE_EXPIRED' });
    expect(timingOf(failed)).toEqual({ dnsMs: some, connectMs: some, tlsMs: null, firstByteMs: null });
  });

  test('tells the endpoint’s own time from that of the body', async () => {
    const slow = await receiver((socket) => {
      setTimeout(() => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n'), SLOW_MS + 5);
      setTimeout(() => socket.write('ok'), 3 * SLOW_MS);
    });
    const result = await sender().send(slow.url, request);
    const { firstByteMs } = timingOf(result);
    expect(firstByteMs).toBeGreaterThanOrEqual(SLOW_MS);
    expect(result.durationMs - firstByteMs!).toBeGreaterThanOrEqual(SLOW_MS / 2);
  });

  test('counts no 1xx as the answer', async () => {
    const early = await receiver((socket) => {
      socket.write('HTTP/1.1 102 Processing\r\n\r\n');
      setTimeout(() => socket.write(response(200)), SLOW_MS + 5);
    });
    expect(timingOf(await sender().send(early.url, request)).firstByteMs).toBeGreaterThanOrEqual(SLOW_MS);
  });

  test('ends where the attempt ended: no connection, no answer', async () => {
    const hung = await receiver(() => {});
    const timing = timingOf(await sender({ totalTimeoutMs: 300 }).send(hung.url, request));
    expect(timing).toEqual({ dnsMs: null, connectMs: some, tlsMs: null, firstByteMs: null });
    const gone = await receiver();
    await gone.close();
    const refused = await sender().send(`http://receiver.example.com:${gone.port}/`, request);
    expect(refused).toMatchObject({ kind: 'error', code: 'CONNECT_FAILED' });
    expect(timingOf(refused)).toEqual({ dnsMs: some, connectMs: null, tlsMs: null, firstByteMs: null });
  });

  test('tells nothing of names that lead nowhere, and of those that lead to what is refused', async () => {
    for (const lookup of [leadsTo('10.0.0.1'), leadsTo(), () => Promise.reject(new Error('ENOTFOUND'))]) {
      const result = await sender({ lookup }).send('http://receiver.example.com/', request);
      expect(result).toMatchObject({ kind: 'error', code: 'DNS_FAILED' });
      expect(result.timing).toBeUndefined();
    }
    const refused = await sender().send('http://10.0.0.1/', request);
    expect(refused).toMatchObject({ kind: 'error', code: 'TARGET_REFUSED' });
    expect(refused.timing).toBeUndefined();
  });

  test('belongs to each of several requests at once', async () => {
    const good = await receiver();
    const by = sender({ connectionsPerOriginMax: 4 });
    const url = `http://receiver.example.com:${good.port}/`;
    const results = await Promise.all(Array.from({ length: 12 }, () => by.send(url, request)));
    const fresh = results.map(({ timing }) => timing!).filter(({ connectMs }) => connectMs !== null);
    // Each connection's making is told once, by the request that it was made for.
    expect(fresh).toHaveLength(good.connections);
    expect(fresh.every(({ dnsMs }) => (dnsMs ?? 0) >= SLOW_MS)).toBe(true);
  });
});

describe('behind an egress proxy', () => {
  test('the tunnel is the connecting, and the proxy resolves the name', async () => {
    const good = await receiver(answersEach(response(200)), { tls: { key: KEY, cert: GOOD } });
    const proxy = await startFakeProxy(() => ({ port: good.port }));
    onTestFinished(() => proxy.close());
    const by = sender({ egressProxy: proxy.url });
    const first = timingOf(await by.send('https://receiver.example.com/', request));
    expect(first).toEqual({ dnsMs: null, connectMs: some, tlsMs: some, firstByteMs: some });
    expect(await onTheSameConnection(() => by.send('https://receiver.example.com/', request))).toEqual(reused);
  });
});
