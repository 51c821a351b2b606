import type { LookupAddress } from 'node:dns';
import { createServer } from 'node:net';
import { setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createNameResolver, NamesGone } from '../../daemon/sending/name-resolver.js';
import type { Sender, SenderOptions } from '../../daemon/sending/send.js';
import type { SendResult } from '../../src/domain/deliveries/outcome.js';
import { AUTHORITY, GOOD, KEY, SELF_SIGNED } from '../support/certificates.js';
import { endsBefore } from '../support/ends-before.js';
import { eventually } from '../support/eventually.js';
import { type DnsAnswers, type FakeDns, startFakeDns } from '../support/fake-dns.js';
import {
  answersEach,
  type HostileReceiver,
  type Misbehaviour,
  type ReceiverOptions,
  resets,
  response,
  says,
  saysAndLeaves,
  startHostileReceiver,
} from '../support/hostile-receivers.js';
import { leadsTo, neverAnswers, openSender } from '../support/sender.js';

const TOTAL_MS = 400;
const CONNECT_MS = 250;
const KIB = 1024;

const request = {
  headers: { 'content-type': 'application/json', 'accept-encoding': 'identity', 'X-Service-Event': 'a.b' },
  body: Buffer.from('{"a":"ä"}'),
};

/** Nothing may go wrong beside the result either: no test here may leave an error that nobody caught. */
const uncaught: unknown[] = [];
const note = (error: unknown) => uncaught.push(error);
const closing: (() => Promise<unknown>)[] = [];
let canary: HostileReceiver;

beforeAll(async () => {
  process.on('uncaughtExceptionMonitor', note);
  process.on('unhandledRejection', note);
});
afterAll(() => {
  process.off('uncaughtExceptionMonitor', note);
  process.off('unhandledRejection', note);
});
beforeEach(async () => {
  canary = await startHostileReceiver(says(response(200)));
});
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
  await canary.close();
  expect(uncaught).toEqual([]);
});

function sender(options: Partial<SenderOptions> = {}): Sender {
  const made = openSender({
    connectTimeoutMs: CONNECT_MS,
    totalTimeoutMs: TOTAL_MS,
    lookup: leadsTo(),
    ...options,
  });
  closing.push(() => made.close());
  return made;
}

async function receiver(misbehave: Misbehaviour, options?: ReceiverOptions): Promise<HostileReceiver> {
  const started = await startHostileReceiver(misbehave, options);
  closing.unshift(() => started.close());
  return started;
}

/** Sends once, and holds the attempt to its time limit. */
async function send(url: string, by = sender()): Promise<SendResult> {
  const startedAt = performance.now();
  const result = await endingBefore(TOTAL_MS + 500, by.send(url, request));
  expect(result.durationMs).toBeLessThanOrEqual(Math.ceil(performance.now() - startedAt));
  expect(Number.isInteger(result.durationMs)).toBe(true);
  return result;
}

/** Sends once, where nothing takes long but a busy machine. */
const sendAtLeisure = (url: string) => sender({ connectTimeoutMs: 5_000, totalTimeoutMs: 10_000 }).send(url, request);

async function endingBefore<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  expect(await endsBefore(ms, work)).toBe(true);
  return await work;
}

const sendTo = async (misbehave: Misbehaviour) => await send((await receiver(misbehave)).url);

/** After which undici lends a connection again. */
async function turnOfTheEventLoop(): Promise<void> {
  for (let i = 0; i < 3; i++) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('a good receiver', () => {
  test.each(['', '?', '?a', '?a?', '/?'])('is called at the very url, which ends with %j', async (end) => {
    const good = await receiver(says(response(200)));
    await sendAtLeisure(`${good.url}${end}`);
    expect(good.received.split(' ', 2)).toEqual(['POST', `/hook${end}`]);
  });

  test('gets the very bytes and headers, and its answer comes back', async () => {
    const good = await receiver(says(response(201, 'thanks', ['X-A: 1', 'Set-Cookie: a', 'set-cookie: b'])));
    const result = await sendAtLeisure(`${good.url}?a=b%20c`);
    expect(result).toMatchObject({
      kind: 'response',
      statusCode: 201,
      headers: { 'x-a': '1', 'set-cookie': ['a', 'b'], 'content-length': '6' },
      body: Buffer.from('thanks'),
      bodyTruncated: false,
    });
    expect(good.received).toMatch(/^POST \/hook\?a=b%20c HTTP\/1\.1\r\n/);
    expect(good.received).toContain(`host: 127.0.0.1:${good.port}\r\n`);
    expect(good.received).toContain('X-Service-Event: a.b\r\n');
    expect(Buffer.from(good.received, 'latin1').subarray(-request.body.length)).toEqual(request.body);
  });

  test('is spoken to over the same connections again and again', async () => {
    const good = await receiver(answersEach(response(200)));
    const by = sender();
    for (let i = 0; i < 10; i++) {
      expect(await send(good.url, by)).toMatchObject({ statusCode: 200 });
    }
    // Two: undici lends a connection again only after a turn of the event loop, and we are quicker.
    expect(good.connections).toBeLessThanOrEqual(2);
  });

  test('no more connections than the limit are opened to one origin, and the rest wait for their turn', async () => {
    const good = await receiver(answersEach(response(200)));
    const by = sender({ connectionsPerOriginMax: 3, totalTimeoutMs: 10_000 });
    const results = await Promise.all(Array.from({ length: 20 }, () => by.send(good.url, request)));
    expect(results.every((result) => result.kind === 'response' && result.statusCode === 200)).toBe(true);
    expect(good.connections).toBe(3);
  });

  test('close() waits for the request that is under way, and refuses the next', async () => {
    const slow = await receiver((socket) => setTimeout(() => socket.write(response(200)), 100));
    const by = sender();
    const underWay = send(slow.url, by);
    await eventually(() => slow.connections === 1);
    await by.close();
    expect(await underWay).toMatchObject({ kind: 'response', statusCode: 200 });
    await expect(by.send(slow.url, request)).rejects.toThrow();
    await by.close();
  });

  test('close() does not wait for connections that nobody waits for any longer', async () => {
    const by = sender({ lookup: neverAnswers, connectTimeoutMs: 60_000 });
    expect(await send('http://hooks.example.com/', by)).toMatchObject({ code: 'TIMEOUT' });
    await endingBefore(1_000, by.close());
  });

  test('an illegal header of our own is thrown, for no receiver can mend it', async () => {
    await expect(sender().send(canary.url, { ...request, headers: { 'x-a': 'a\r\nb' } })).rejects.toThrow('x-a');
    expect(canary.connections).toBe(0);
  });
});

describe('receivers that take their time', () => {
  test('a request that waits for a connection is given up in time, and never sent when there is one', async () => {
    const good = await receiver(says(response(200)));
    const found = Promise.withResolvers<LookupAddress[]>();
    const by = sender({ lookup: () => found.promise, connectTimeoutMs: 60_000 });
    const result = await send(`http://hooks.example.com:${good.port}/`, by);
    expect(result).toMatchObject({ kind: 'error', code: 'TIMEOUT' });
    found.resolve([{ address: '127.0.0.1', family: 4 }]);
    await eventually(() => good.connections === 1 && good.open === 0);
    expect(good.received).toBe('');
  });

  test('a name that is never resolved is given up at the connect limit', async () => {
    const by = sender({ lookup: neverAnswers, totalTimeoutMs: 5000 });
    const result = await endingBefore(CONNECT_MS + 2500, by.send('http://hooks.example.com/', request));
    // Told at the next whole second: docs/decisions/0028.
    expect(result).toMatchObject({ kind: 'error', code: 'DNS_FAILED' });
  });

  test('the total limit holds while connecting, too', async () => {
    const by = sender({ lookup: neverAnswers, connectTimeoutMs: 5000 });
    expect(await send('http://hooks.example.com/', by)).toMatchObject({ kind: 'error', code: 'TIMEOUT' });
  });
});

describe('a timeout of its own', () => {
  test.each([500, 8_000])('is the limit of the attempt where the usual one is %d ms', async (totalTimeoutMs) => {
    const mute = await receiver(() => {});
    const result = await endingBefore(1_500, sender({ totalTimeoutMs }).send(mute.url, request, 7, 1_000));
    expect(result).toMatchObject({ kind: 'error', code: 'TIMEOUT', sent: true });
    expect(result.durationMs).toBeGreaterThanOrEqual(998);
  });

  test('half of it is the limit for connecting', async () => {
    const by = sender({ lookup: neverAnswers, connectTimeoutMs: 60_000, totalTimeoutMs: 60_000 });
    const result = await endingBefore(1_900, by.send('http://hooks.example.com/', request, 7, 1_000));
    expect(result).toMatchObject({ kind: 'error', code: 'DNS_FAILED', durationMs: 1_000, sent: false });
  });

  test('does not make the endpoint pay for names that are gone, though that takes longer to find out', async () => {
    const good = await receiver(says(response(200)));
    const gone = Promise.withResolvers<boolean>();
    const lookup = Object.assign((...[name]: Parameters<typeof neverAnswers>) => neverAnswers(name), {
      gone: () => gone.promise,
    });
    const by = sender({ lookup, connectTimeoutMs: 60_000, totalTimeoutMs: 60_000 });
    setTimeout(() => gone.resolve(true), 1_500);
    await expect(by.send(`http://a.example.com:${good.port}/`, request, 7, 1_000)).rejects.toThrow(NamesGone);
    expect(good.received).toBe('');
  });
});

describe('receivers that say too much', () => {
  test.each([
    [16 * KIB, false],
    [16 * KIB + 1, true],
  ])('a body of %i bytes: is it truncated? %s', async (bytes, bodyTruncated) => {
    const result = await sendTo(says(response(200, 'x'.repeat(bytes))));
    expect(result).toMatchObject({ kind: 'response', bodyTruncated });
    expect(result.kind === 'response' && result.body.length).toBe(16 * KIB);
  });

  test.each([
    [64 * KIB, 1],
    [64 * KIB + 1, 2],
  ])('after a body of %i bytes the next request takes connection %i', async (bytes, connections) => {
    const big = await receiver(answersEach(response(200, 'x'.repeat(bytes))));
    const by = sender();
    expect(await send(big.url, by)).toMatchObject({ kind: 'response', bodyTruncated: true });
    await turnOfTheEventLoop();
    expect(await send(big.url, by)).toMatchObject({ kind: 'response', bodyTruncated: true });
    expect(big.connections).toBe(connections);
  });

  test('headers above 16 KiB are refused, below they are kept', async () => {
    const result = await sendTo(says(response(200, 'a', [`X-A: ${'x'.repeat(16_000)}`])));
    expect(result).toMatchObject({ kind: 'response', headers: { 'x-a': 'x'.repeat(16_000) } });
    expect(await sendTo(says(response(200, 'a', [`X-A: ${'x'.repeat(16_400)}`])))).toMatchObject({
      kind: 'error',
      code: 'HEADERS_TOO_LARGE',
    });
  });
});

describe('receivers that speak badly', () => {
  test.each([
    ['nonsense', 'hello\r\n\r\n'],
    ['a switch of protocols without a word', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
  ])('%s and then the end of the connection is a protocol error', async (_what, text) => {
    expect(await sendTo(saysAndLeaves(text))).toMatchObject({ kind: 'error', code: 'PROTOCOL_ERROR' });
  });

  test.each([
    ['content-length: 2', 'transfer-encoding: chunked'],
    ['transfer-encoding: chunked', 'content-length: 2'],
  ])('%s and %s: the status decides, and the connection is not used again', async (...lengths) => {
    const both = await receiver(answersEach(`HTTP/1.1 200 OK\r\n${lengths.join('\r\n')}\r\n\r\n2\r\nab\r\n0\r\n\r\n`));
    const by = sender();
    for (const connections of [1, 2, 3]) {
      expect(await send(both.url, by)).toMatchObject({ kind: 'response', statusCode: 200, bodyTruncated: true });
      await turnOfTheEventLoop();
      expect(both.connections).toBe(connections);
    }
  });

  test.each(['2', '1'])('content-length: 2 and content-length: %s have an error of their own', async (other) => {
    const text = `HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: ${other}\r\n\r\nab`;
    expect(await sendTo(saysAndLeaves(text))).toMatchObject({ kind: 'error', code: 'CONTENT_LENGTH_TWICE' });
  });

  const goOn = 'HTTP/1.1 100 Continue\r\n\r\n';
  test.each<[string, Misbehaviour]>([
    ['at once', says(`${goOn}${response(200, goOn)}`)],
    ['twice', says(`${goOn}${goOn}${response(200, goOn)}`)],
    [
      'a moment before',
      (socket) => {
        socket.write(goOn);
        setTimeout(() => socket.write(`${goOn}${response(200, goOn)}`), 50);
      },
    ],
  ])(
    '100 Continue that nobody asked for, said %s, is not an answer, and in a body it is left alone',
    async (_, misbehave) => {
      const result = await sendTo(misbehave);
      expect(result).toMatchObject({ kind: 'response', statusCode: 200 });
      expect(result.kind === 'response' && result.body.toString()).toBe(goOn);
    },
  );

  test.each([
    ['103', `HTTP/1.1 103 X\r\nX-B: 1\r\n\r\n${response(404, 'abc')}`],
    ['trailers', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-B: 1\r\n\r\n'],
  ])('headers of %s are not those of the answer', async (_what, text) => {
    const result = await sendTo(says(text));
    expect(result).toMatchObject({ kind: 'response', body: Buffer.from('abc'), bodyTruncated: false });
    expect(result.kind === 'response' && Object.keys(result.headers)).not.toContain('x-b');
  });

  test.each([
    ['204 with a body', 204, 'HTTP/1.1 204 X\r\ncontent-length: 3\r\n\r\nabc'],
    ['bytes after the body', 200, `${response(200)}HTTP/1.1 500 X\r\n\r\n`],
  ])(
    'after %s the connection is not used again, and the next answer is not confused',
    async (_what, statusCode, text) => {
      const odd = await receiver(says(text));
      const by = sender();
      expect(await send(odd.url, by)).toMatchObject({ kind: 'response', statusCode, body: Buffer.alloc(0) });
      expect(await send(odd.url, by)).toMatchObject({ kind: 'response', statusCode });
      expect(odd.connections).toBe(2);
    },
  );

  test.each([301, 302, 303, 307, 308])('a %i is an answer, and is not followed', async (statusCode) => {
    for (const location of [
      canary.url,
      `https://127.0.0.1:${canary.port}/`,
      '/again',
      'file:///etc/passwd',
      '//localhost/',
    ]) {
      const redirecting = await receiver(says(response(statusCode, '', [`location: ${location}`])));
      const result = await send(redirecting.url);
      expect(result).toMatchObject({ kind: 'response', statusCode, headers: { location } });
      expect(redirecting.received.match(/POST/g)).toHaveLength(1);
    }
    expect(canary.connections).toBe(0);
  });
});

describe('connections', () => {
  test('a closed port is a failed connection, and its address is nowhere in the result', async () => {
    const gone = createServer();
    await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
    const { port } = gone.address() as { port: number };
    await new Promise((resolve) => gone.close(resolve));
    const expected = { kind: 'error', code: 'CONNECT_FAILED', durationMs: expect.any(Number), sent: false };
    expect(await send(`http://127.0.0.1:${port}/`)).toEqual(expected);
    const by = sender({ lookup: leadsTo('127.0.0.1', '127.0.0.1') });
    const timing = { dnsMs: expect.any(Number), connectMs: null, tlsMs: null, firstByteMs: null };
    expect(await send(`http://hooks.example.com:${port}/`, by)).toEqual({ ...expected, timing });
  });

  test('a hundred failures of every kind leave no connection behind', async () => {
    const by = sender({ connectionsPerOriginMax: 100 });
    const kinds = [resets, saysAndLeaves(''), says('nonsense\r\n\r\n'), says(response(500)), () => {}];
    const receivers = await Promise.all(kinds.map((kind) => receiver(kind)));
    await Promise.all(Array.from({ length: 100 }, (_, i) => send(receivers[i % kinds.length]!.url, by)));
    await by.close();
    await eventually(() => receivers.every(({ open }) => open === 0));
  });
});

describe('TLS', () => {
  const url = ({ port }: HostileReceiver, name = 'receiver.example.com') => `https://${name}:${port}/hook`;
  const toLoopback = () => sender({ lookup: leadsTo('127.0.0.1') });
  beforeAll(() => setDefaultCACertificates([AUTHORITY]));

  test('a certificate for the name, by an authority that is trusted, is accepted', async () => {
    const good = await receiver(says(response(200)), { tls: { key: KEY, cert: GOOD } });
    expect(await send(url(good), toLoopback())).toMatchObject({ kind: 'response', statusCode: 200 });
    expect(good.received).toContain(`host: receiver.example.com:${good.port}\r\n`);
  });

  test('a certificate that is self-signed is refused, whatever the environment says, and nothing is sent', async () => {
    const bad = await receiver(says(response(200)), { tls: { key: KEY, cert: SELF_SIGNED } });
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    expect(await send(url(bad), toLoopback())).toMatchObject({ kind: 'error', code: 'TLS_CERTIFICATE_UNTRUSTED' });
    vi.unstubAllEnvs();
    expect(bad.received).toBe('');
  });

  test('a certificate for a name does not do for an address', async () => {
    const bad = await receiver(says(response(200)), { tls: { key: KEY, cert: GOOD } });
    expect(await send(bad.url)).toMatchObject({ kind: 'error', code: 'TLS_CERTIFICATE_NAME' });
  });

  test('a handshake that stalls is given up at the connect limit', async () => {
    const stalled = await receiver(() => {});
    const by = sender({ lookup: leadsTo('127.0.0.1'), totalTimeoutMs: 5000 });
    const result = await endingBefore(CONNECT_MS + 1500, by.send(url(stalled), request));
    expect(result).toMatchObject({ kind: 'error', code: 'CONNECT_TIMEOUT' });
    await eventually(() => stalled.open === 0);
  });

  test('HTTP/2 is not offered', async () => {
    let offered: readonly string[] = [];
    const modern = await receiver(says(response(200)), {
      tls: {
        key: KEY,
        cert: GOOD,
        ALPNCallback: ({ protocols }) => {
          offered = protocols;
          return 'http/1.1';
        },
      },
    });
    expect(await send(url(modern), toLoopback())).toMatchObject({ statusCode: 200 });
    expect(offered).toEqual(['http/1.1']);
  });

  test('several requests at once make several connections at once', async () => {
    const slow = await receiver((socket) => setTimeout(() => socket.write(response(200)), 50), {
      tls: { key: KEY, cert: GOOD },
    });
    const by = sender({ lookup: leadsTo('127.0.0.1'), connectionsPerOriginMax: 4 });
    await Promise.all(Array.from({ length: 4 }, () => send(url(slow), by)));
    expect(slow.connections).toBe(4);
  });
});

describe('addresses that may not be called', () => {
  const closed = { allowHttp: true, allowedRanges: [], loopbackHttp: false };

  test('http that is no longer allowed, a port, a scheme and a url that is none are refused', async () => {
    const by = sender({ policy: { ...closed, allowHttp: false }, lookup: leadsTo('8.8.8.8') });
    for (const url of [
      'http://hooks.example.com/',
      'https://hooks.example.com:25/',
      'file:///etc/passwd',
      'nonsense',
      '',
    ]) {
      expect(await send(url, by)).toMatchObject({ kind: 'error', code: 'TARGET_REFUSED' });
    }
  });

  test('localhost is loopback and nothing else, whatever DNS says, and only as far as it is opened', async () => {
    const good = await receiver(says(response(200)));
    const policy = { allowHttp: false, allowedRanges: [], loopbackHttp: true };
    const by = sender({ policy, lookup: leadsTo('8.8.8.8') });
    for (const host of ['localhost', 'localhost.', 'hooks.localhost', '127.0.0.1']) {
      expect(await send(`http://${host}:${good.port}/`, by)).toMatchObject({ statusCode: 200 });
    }
    expect(await send(`http://localhost:${good.port}/`, sender())).toMatchObject({ statusCode: 200 });
    const other = sender({ policy: { ...closed, allowedRanges: ['10.0.0.0/8'] } });
    expect(await send(`http://localhost:${good.port}/`, other)).toMatchObject({ code: 'TARGET_REFUSED' });
  });
});

describe('names', () => {
  let dns: FakeDns;
  let resolve: (name: string) => Promise<string[]>;

  beforeEach(async () => {
    dns = await startFakeDns();
    const lookup = createNameResolver({ servers: [dns.server], timeoutMs: 300, namesMax: 3 });
    resolve = async (name) => (await lookup(name)).map(({ address }) => address);
  });
  afterEach(() => dns.close());

  const both =
    (ttl = 60): DnsAnswers =>
    (_name, type) => ({
      addresses: type === 1 ? ['192.0.2.1', '192.0.2.2'] : ['2001:db8::1'],
      ttl,
    });

  test('both families are asked, IPv4 comes first, and the answer is remembered', async () => {
    dns.answerWith(both());
    expect(await resolve('a.example.com')).toEqual(['192.0.2.1', '192.0.2.2', '2001:db8::1']);
    expect(await resolve('a.example.com')).toHaveLength(3);
    expect(dns.questions.sort()).toEqual(['A a.example.com', 'AAAA a.example.com']);
  });

  test('an answer with TTL 0 is not remembered, but shared while the question is under way', async () => {
    dns.answerWith(both(0));
    await Promise.all([resolve('a.example.com'), resolve('a.example.com')]);
    expect(dns.questions).toHaveLength(2);
    await resolve('a.example.com');
    expect(dns.questions).toHaveLength(4);
  });

  test('a long answer is not remembered: thousands of addresses of thousands of names would fill the memory', async () => {
    const addresses = Array.from({ length: 17 }, (_, n) => `192.0.2.${n}`);
    dns.answerWith((_name, type) => ({ addresses: type === 1 ? addresses : [], ttl: 60 }));
    expect(await resolve('a.example.com')).toHaveLength(17);
    await resolve('a.example.com');
    expect(dns.questions).toHaveLength(4);
  });

  test('the memory is bounded: the oldest name is forgotten', async () => {
    dns.answerWith(both());
    for (const name of ['a', 'b', 'c', 'd']) {
      await resolve(`${name}.example.com`);
    }
    await resolve('b.example.com');
    expect(dns.questions).toHaveLength(8);
    await resolve('a.example.com');
    expect(dns.questions).toHaveLength(10);
  });

  test.each<[string, DnsAnswers]>([
    ['does not exist', () => ({ code: 3 })],
    ['has a broken server', () => ({ code: 2 })],
    ['has no addresses', () => ({ addresses: [] })],
  ])('a name that %s fails, and a burst of questions is asked once', async (_what, says) => {
    dns.answerWith(says);
    await expect(resolve('a.example.com')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    const asked = dns.questions.length;
    await expect(resolve('a.example.com')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    expect(dns.questions.length).toBe(asked);
  });

  test('servers that never answer cost the limit and no more, for any number of names at once', async () => {
    dns.answerWith(() => null);
    const names = Array.from({ length: 50 }, (_, i) => `n${i}.example.com`);
    const results = await endingBefore(2_500, Promise.allSettled(names.map((name) => resolve(name))));
    expect(results.every(({ status }) => status === 'rejected')).toBe(true);
  });

  test('when only AAAA is never answered, the A records count', async () => {
    dns.answerWith((name, type) => (type === 1 ? both()(name, type) : null));
    expect(await resolve('a.example.com')).toEqual(['192.0.2.1', '192.0.2.2']);
  });

  test.each<[string, Partial<NonNullable<ReturnType<DnsAnswers>>>]>([
    ['over UDP', {}],
    ['over TCP', { truncated: true }],
    ['by a chain of aliases', { aliases: ['b.example.com', 'c.example.com'] }],
  ])('an answer of 500 addresses is given as a whole, %s', async (_how, how) => {
    const addresses = Array.from({ length: 500 }, (_, i) => `192.0.${i >> 8}.${i & 255}`);
    dns.answerWith((_name, type) => ({ ...how, addresses: type === 1 ? addresses : [] }));
    expect(await resolve('a.example.com')).toEqual(addresses);
  });

  test('a name without dots is asked as it is: no search domain is added', async () => {
    dns.answerWith(() => ({ code: 3 }));
    await expect(resolve('internal')).rejects.toThrow();
    expect(new Set(dns.questions)).toEqual(new Set(['A internal', 'AAAA internal']));
  });
});
