import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { setImmediate } from 'node:timers/promises';
import { setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createNameResolver } from '../../daemon/sending/name-resolver.js';
import type { Sender, SenderOptions } from '../../daemon/sending/send.js';
import type { SendResult } from '../../src/domain/deliveries/outcome.js';
import { AUTHORITY, GOOD, KEY } from '../support/certificates.js';
import { eventually } from '../support/eventually.js';
import { type FakeDns, has, startFakeDns } from '../support/fake-dns.js';
import { startFakeProxy } from '../support/fake-proxy.js';
import { openServer } from '../support/loopback.js';
import { openSender } from '../support/sender.js';

// Time is ours, also undici's, which keeps timers for the whole process: hence this file has one of its own.
beforeAll(() => {
  setDefaultCACertificates([AUTHORITY]);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterAll(() => {
  vi.useRealTimers();
});

const OLD = '127.0.0.2';
const NEW = '127.0.0.3';
const NAME = 'receiver.example.com';
const request = { headers: {}, body: Buffer.from('{}') };

const now = () => performance.now() / 1_000;

/** A receiver at one address. */
interface Receiver {
  port: number;
  /** When each connection was made and each request came, in seconds. */
  connections: number[];
  requests: number[];
  /** Holds its answers back until they are released. */
  isHolding: boolean;
  held: (() => void)[];
}

interface ReceiverOptions {
  port?: number;
  secure?: boolean;
  keepAliveSeconds?: number;
}

async function open(
  host: string,
  { port, secure = false, keepAliveSeconds = 60 }: ReceiverOptions = {},
): Promise<Receiver> {
  const receiver: Receiver = { port: 0, connections: [], requests: [], isHolding: false, held: [] };
  const listener: RequestListener = (incoming, response) => {
    incoming.resume().on('end', () => {
      receiver.requests.push(now());
      if (receiver.isHolding) {
        receiver.held.push(() => response.end());
      } else {
        response.end();
      }
    });
  };
  const server: Server = secure ? createTlsServer({ key: KEY, cert: GOOD }, listener) : createServer(listener);
  server.keepAliveTimeout = keepAliveSeconds * 1_000;
  server.on(secure ? 'secureConnection' : 'connection', () => receiver.connections.push(now()));
  const opened = await openServer(server, port, host);
  onTestFinished(() => opened.close());
  return Object.assign(receiver, { port: opened.port });
}

/** The old receiver and the new one, at one port of two addresses. */
async function openBoth(options: ReceiverOptions = {}): Promise<{ old: Receiver; next: Receiver; url: string }> {
  const old = await open(OLD, options);
  const next = await open(NEW, { ...options, port: old.port });
  return { old, next, url: `http${options.secure ? 's' : ''}://${NAME}:${old.port}/` };
}

async function openDns(first = has([OLD], { ttl: 60 })): Promise<FakeDns> {
  const dns = await startFakeDns(first);
  onTestFinished(() => dns.close());
  return dns;
}

function sendBy({ server }: FakeDns, options: Partial<SenderOptions> = {}): Sender {
  const sender = openSender({
    policy: { allowHttp: true, allowedRanges: ['127.0.0.0/8', '::2/128'], loopbackHttp: false },
    lookup: createNameResolver({ servers: [server] }),
    ...options,
  });
  onTestFinished(() => sender.close());
  return sender;
}

/** undici lends a connection again after a turn of the event loop, and may make another until then. */
const aTurn = () => setImmediate();

/** Sends so many requests at once every so many milliseconds for so long, and waits for each answer. */
async function sendEvery(everyMs: number, seconds: number, send: () => Promise<unknown>, atOnce = 1): Promise<void> {
  for (let sentMs = 0; sentMs < seconds * 1_000; sentMs += everyMs) {
    await vi.advanceTimersByTimeAsync(everyMs);
    await Promise.all(Array.from({ length: atOnce }, send));
    await aTurn();
  }
}

const succeed = (sender: Sender, url: string) => async () => {
  expect(await sender.send(url, request, 1)).toMatchObject({ statusCode: 200 });
};

/** Keeps so many requests under way, in rounds of a quarter of a second. */
async function keepBusy(count: number, rounds: number, receivers: Receiver[], send: () => Promise<void>) {
  for (const receiver of receivers) {
    receiver.isHolding = true;
  }
  for (let round = 0; round < rounds; round++) {
    const sent = Promise.all(Array.from({ length: count }, send));
    const held = () => receivers.flatMap((receiver) => receiver.held);
    await eventually(() => held().length === count);
    await vi.advanceTimersByTimeAsync(250);
    const releases = held();
    for (const receiver of receivers) {
      receiver.held = [];
    }
    for (const release of releases) {
      release();
    }
    await sent;
    await aTurn();
  }
}

/** How many of these moments lie within one second, at most. */
const mostInASecond = (moments: number[]) =>
  Math.max(0, ...moments.map((from) => moments.filter((each) => each >= from && each < from + 0.999).length));

describe('an endpoint whose name moves is called at the new address', () => {
  test.each([
    { everyMs: 250, keepAliveSeconds: 5, ttl: 2 },
    { everyMs: 250, keepAliveSeconds: 5, ttl: 60 },
    { everyMs: 250, keepAliveSeconds: 60, ttl: 300 },
    { everyMs: 6_500, keepAliveSeconds: 60, ttl: 2 },
    { everyMs: 6_500, keepAliveSeconds: 60, ttl: 60 },
    { everyMs: 28_500, keepAliveSeconds: 60, ttl: 60 },
  ])(
    'within 90 s: an event every $everyMs ms, Keep-Alive: timeout=$keepAliveSeconds, TTL $ttl s',
    async ({ everyMs, keepAliveSeconds, ttl }) => {
      const { old, next, url } = await openBoth({ keepAliveSeconds });
      const dns = await openDns(has([OLD], { ttl }));
      const send = succeed(sendBy(dns), url);
      await sendEvery(everyMs, 100, send);
      expect(old.connections).toHaveLength(1);

      const movedAt = now();
      dns.answerWith(has([NEW], { ttl }));
      await sendEvery(everyMs, 150, send);
      // The resolver's time, that until the next look, and that until a request which comes to look.
      expect(old.requests.at(-1)! - movedAt).toBeLessThanOrEqual(Math.min(ttl, 30) + 6 + everyMs / 1_000);
      expect(next.requests[0]! - movedAt).toBeLessThanOrEqual(90);
      expect([old.connections.length, next.connections.length]).toEqual([1, 1]);
    },
  );

  test('over https', async () => {
    const { old, next, url } = await openBoth({ secure: true });
    const dns = await openDns();
    const send = succeed(sendBy(dns), url);
    await sendEvery(1_000, 60, send);
    dns.answerWith(has([NEW]));
    await sendEvery(1_000, 90, send);
    expect([old.connections.length, next.connections.length]).toEqual([1, 1]);
    expect(next.requests.length).toBeGreaterThan(50);
  });

  test('again, each time that it moves', async () => {
    const { old, next, url } = await openBoth();
    const dns = await openDns();
    const send = succeed(sendBy(dns), url);
    for (const address of [NEW, OLD, NEW]) {
      await sendEvery(500, 40, send);
      dns.answerWith(has([address]));
    }
    await sendEvery(500, 40, send);
    expect([old.connections.length, next.connections.length]).toEqual([2, 2]);
  });

  test('and a request that is under way at the old one gets its answer', async () => {
    const { old, next, url } = await openBoth();
    const dns = await openDns();
    const sender = sendBy(dns, { totalTimeoutMs: 120_000 });
    const send = succeed(sender, url);
    await send();
    old.isHolding = true;
    const slow = send();
    await eventually(() => old.held.length === 1);
    old.isHolding = false;
    dns.answerWith(has([NEW]));
    await sendEvery(1_000, 60, send);
    const { length } = next.requests;
    expect(length).toBeGreaterThan(0);
    old.held[0]!();
    await slow;
    await sendEvery(1_000, 5, send);
    expect(next.requests.length).toBe(length + 5);
  });
});

describe('an endpoint whose name stays keeps its connections for ten minutes', () => {
  const both = [OLD, '127.0.0.4'];
  let turn = 0;
  test.each([
    ['that has one address', has([OLD], { ttl: 1 })],
    [
      'whose addresses take turns',
      (name: string, type: number) => has(turn++ % 4 < 2 ? both : both.toReversed(), { ttl: 1 })(name, type),
    ],
    ['that gets an IPv6 address', has([OLD, '::2'], { ttl: 1 })],
    [
      'whose IPv4 question gets no answer',
      (name: string, type: number) => (type === 1 ? { code: 2 } : has(['::2'])(name, type)),
    ],
    ['that has no address any more', () => ({})],
    ['that does not exist any more', () => ({ code: 3 })],
    ['whose servers fail', () => ({ code: 2 })],
  ])('%s', async (_, answers) => {
    const { old, url } = await openBoth();
    const dns = await openDns();
    const send = succeed(sendBy(dns), url);
    await keepBusy(8, 1, [old], send);
    old.isHolding = false;
    expect(old.connections).toHaveLength(8);
    dns.answerWith(answers);
    await sendEvery(3_000, 600, send, 8);
    expect(old.connections).toHaveLength(8);
    // Asked about each 30 s, or each 5 s for a TTL of 1 s and after failures: in any case more often than once.
    expect(dns.questions.length).toBeGreaterThan(30);
  });
});

describe('eight connections to a name that moves', () => {
  test('are made again one each second while they are in use', async () => {
    const { old, next, url } = await openBoth();
    const dns = await openDns();
    const send = succeed(sendBy(dns), url);
    await keepBusy(8, 4, [old, next], send);
    dns.answerWith(has([NEW]));
    await keepBusy(8, 4 * 60, [old, next], send);
    expect([old.connections.length, next.connections.length]).toEqual([8, 8]);
    expect(mostInASecond(next.connections)).toBe(1);
    expect(next.connections.at(-1)! - next.connections[0]!).toBeLessThan(10);
  });

  test('may all be made again at once when they were idle', async () => {
    const { old, next, url } = await openBoth();
    const dns = await openDns();
    const send = succeed(sendBy(dns), url);
    await keepBusy(8, 1, [old], send);
    old.isHolding = false;
    dns.answerWith(has([NEW]));
    const movedAt = now();
    await sendEvery(20_000, 120, send, 8);
    expect(old.requests.at(-1)! - movedAt).toBeLessThanOrEqual(90);
    expect(next.requests.length).toBeGreaterThan(8);
  });

  test('forty take no longer than 20 s', async () => {
    const { old, next, url } = await openBoth();
    const dns = await openDns();
    const send = succeed(sendBy(dns, { connectionsPerOriginMax: 40 }), url);
    await keepBusy(40, 4, [old, next], send);
    dns.answerWith(has([NEW]));
    await keepBusy(40, 4 * 60, [old, next], send);
    expect([old.connections.length, next.connections.length]).toEqual([40, 40]);
    expect(next.connections.at(-1)! - next.connections[0]!).toBeLessThan(22);
  });
});

describe('a name that moves to where nothing may be called', () => {
  test.each([
    ['inside', ['10.0.0.1']],
    ['inside too', [OLD, '10.0.0.1']],
  ])('%s is not called any longer', async (_, addresses) => {
    const { old, url } = await openBoth();
    const dns = await openDns();
    const sender = sendBy(dns);
    await sendEvery(1_000, 40, succeed(sender, url));
    dns.answerWith(has(addresses));
    const results: SendResult[] = [];
    for (let sent = 0; sent < 60 && !results.some(({ kind }) => kind === 'error'); sent++) {
      await vi.advanceTimersByTimeAsync(1_000);
      const result = sender.send(url, request, 1);
      // A name that is refused fails after a second.
      const ended = await eventually(async () => {
        await vi.advanceTimersByTimeAsync(200);
        return await Promise.race([result, null]);
      });
      results.push(ended);
    }
    expect(results.at(-1)).toMatchObject({ code: 'DNS_FAILED' });
    expect(results.length).toBeGreaterThan(1);
    expect(old.connections).toHaveLength(1);
  });
});

describe('through a proxy, which resolves the names', () => {
  test.each([false, true])('a tunnel is used for a minute at most (https: %s)', async (secure) => {
    const { old, next, url } = await openBoth({ secure });
    await using proxy = await startFakeProxy(() => ({ host: OLD, port: old.port }));
    const send = succeed(sendBy(await openDns(), { egressProxy: proxy.url }), url);
    await sendEvery(1_000, 600, send);
    expect(proxy.asked.length).toBeGreaterThanOrEqual(10);
    expect(proxy.asked.length).toBeLessThanOrEqual(15);

    proxy.answerWith(() => ({ host: NEW, port: next.port }));
    const movedAt = now();
    await sendEvery(1_000, 90, send);
    expect(old.requests.at(-1)! - movedAt).toBeLessThanOrEqual(60);
  });

  test('eight tunnels in use are made again one each second', async () => {
    const { old, next, url } = await openBoth();
    await using proxy = await startFakeProxy(() => ({ host: OLD, port: old.port }));
    const send = succeed(sendBy(await openDns(), { egressProxy: proxy.url }), url);
    await keepBusy(8, 4, [old, next], send);
    proxy.answerWith(() => ({ host: NEW, port: next.port }));
    await keepBusy(8, 4 * 75, [old, next], send);
    expect(old.connections).toHaveLength(8);
    expect(old.requests.at(-1)! - old.requests[0]!).toBeLessThanOrEqual(75);
    expect(mostInASecond(next.connections)).toBe(1);
  });
});
