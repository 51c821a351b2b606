import type { LookupAddress } from 'node:dns';
import { createServer } from 'node:net';
import { setDefaultCACertificates } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createNameResolver, type NameResolver } from '../../daemon/sending/name-resolver.js';
import type { Sender, SenderOptions } from '../../daemon/sending/send.js';
import type { SendResult } from '../../src/domain/outcome.js';
import { AUTHORITY, EXPIRED, GOOD, KEY, SELF_SIGNED } from '../support/certificates.js';
import { eventually } from '../support/eventually.js';
import { type DnsAnswers, type FakeDns, startFakeDns } from '../support/fake-dns.js';
import {
  answersEach,
  drips,
  floods,
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
  const result = await by.send(url, request);
  expect(performance.now() - startedAt).toBeLessThan(TOTAL_MS + 500);
  expect(result.durationMs).toBeLessThan(TOTAL_MS + 500);
  expect(Number.isInteger(result.durationMs)).toBe(true);
  return result;
}

const sendTo = async (misbehave: Misbehaviour) => await send((await receiver(misbehave)).url);

/** After which undici lends a connection again. */
async function turnOfTheEventLoop(): Promise<void> {
  for (let i = 0; i < 3; i++) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** A resolver that gives each question the next of these answers. */
const answering =
  (...answers: string[][]): NameResolver =>
  (name) =>
    leadsTo(...answers.shift()!)(name);

describe('a good receiver', () => {
  test.each(['', '?', '?a', '?a?', '/?'])('is called at the very url, which ends with %j', async (end) => {
    const good = await receiver(says(response(200)));
    await send(`${good.url}${end}`);
    expect(good.received.split(' ', 2)).toEqual(['POST', `/hook${end}`]);
  });

  test('gets the very bytes and headers, and its answer comes back', async () => {
    const good = await receiver(says(response(201, 'thanks', ['X-A: 1', 'Set-Cookie: a', 'set-cookie: b'])));
    const result = await send(`${good.url}?a=b%20c`);
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
    const by = sender({ connectionsPerOriginMax: 3 });
    const results = await Promise.all(Array.from({ length: 20 }, () => send(good.url, by)));
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
    const startedAt = performance.now();
    await by.close();
    expect(performance.now() - startedAt).toBeLessThan(1000);
  });

  test('an illegal header of our own is thrown, for no receiver can mend it', async () => {
    await expect(sender().send(canary.url, { ...request, headers: { 'x-a': 'a\r\nb' } })).rejects.toThrow('x-a');
    expect(canary.connections).toBe(0);
  });
});

describe('receivers that take their time', () => {
  test.each<[string, Misbehaviour]>([
    ['never answers', () => {}],
    ['drips its headers', drips('HTTP/1.1 200 OK\r\n', 'X-A: 1\r\n', 20)],
    ['drips one header byte by byte', drips('HTTP/1.1 200 OK\r\nX-A: ', 'a', 20)],
    ['sends 103 for ever', drips('', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n', 5)],
    ['sends 102 once and then nothing', says('HTTP/1.1 102 Processing\r\n\r\n')],
  ])('one that %s is cut off when the time is over', async (_what, misbehave) => {
    const by = sender();
    const slow = await receiver(misbehave);
    const result = await send(slow.url, by);
    expect(result).toMatchObject({ kind: 'error', code: 'TIMEOUT' });
    expect(result.durationMs).toBeGreaterThanOrEqual(TOTAL_MS - 5);
    await eventually(() => slow.open === 0);
  });

  test.each<[string, number, Misbehaviour]>([
    ['drips its body', 200, drips('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\nabc', 'd', 20)],
    ['drips chunks', 200, drips('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n', '1\r\nd\r\n', 20)],
    ['stops in the middle of its body', 202, says('HTTP/1.1 202 OK\r\ncontent-length: 10\r\n\r\nabc')],
    ['stops in the middle of a failure’s body', 500, says('HTTP/1.1 500 X\r\ncontent-length: 10\r\n\r\nabc')],
    ['claims 10 GB', 200, says(`HTTP/1.1 200 OK\r\ncontent-length: 10737418240\r\n\r\nabc`)],
  ])('one that %s has answered all the same: %i', async (_what, statusCode, misbehave) => {
    const slow = await receiver(misbehave);
    const result = await send(slow.url);
    expect(result).toMatchObject({ kind: 'response', statusCode, bodyTruncated: true });
    expect(result.kind === 'response' && result.body.toString()).toMatch(/^abcd*$/);
    expect(result.durationMs).toBeGreaterThanOrEqual(TOTAL_MS - 5);
    await eventually(() => slow.open === 0);
  });

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
    const result = await sender({ lookup: neverAnswers, totalTimeoutMs: 5000 }).send(
      'http://hooks.example.com/',
      request,
    );
    // Told at the next whole second: docs/decisions/0028.
    expect(result).toMatchObject({ kind: 'error', code: 'DNS_FAILED' });
    expect(result.durationMs).toBeLessThan(CONNECT_MS + 2500);
  });

  test('the total limit holds while connecting, too', async () => {
    const by = sender({ lookup: neverAnswers, connectTimeoutMs: 5000 });
    expect(await send('http://hooks.example.com/', by)).toMatchObject({ kind: 'error', code: 'TIMEOUT' });
  });
});

describe('receivers that say too much', () => {
  test.each<[string, Misbehaviour]>([
    [
      'with a content-length of 10 GB',
      floods('HTTP/1.1 200 OK\r\ncontent-length: 10737418240\r\n\r\n', Buffer.alloc(64 * KIB, 'x')),
    ],
    ['without a length', floods('HTTP/1.1 200 OK\r\n\r\n', Buffer.alloc(64 * KIB, 'x'))],
    [
      'in chunks',
      floods('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', Buffer.from(`1000\r\n${'x'.repeat(4096)}\r\n`)),
    ],
  ])('an endless body %s is cut, and 16 KiB are kept', async (_how, misbehave) => {
    const endless = await receiver(misbehave);
    const result = await send(endless.url);
    expect(result).toMatchObject({ kind: 'response', statusCode: 200, bodyTruncated: true });
    expect(result.kind === 'response' && result.body.equals(Buffer.alloc(16 * KIB, 'x'))).toBe(true);
    expect(result.durationMs).toBeLessThan(TOTAL_MS);
    await eventually(() => endless.open === 0);
  });

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

  test.each<[string, Misbehaviour]>([
    ['one header', floods('HTTP/1.1 200 OK\r\nX-A: ', Buffer.alloc(64 * KIB, 'x'))],
    ['many headers', floods('HTTP/1.1 200 OK\r\n', Buffer.from('X-A: 1\r\n'.repeat(1000)))],
    ['103 without end', floods('', Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100)))],
  ])('endless headers, %s, are cut', async (_what, misbehave) => {
    expect(await sendTo(misbehave)).toMatchObject({ kind: 'error', code: 'HEADERS_TOO_LARGE' });
  });

  test('thousands of tiny headers are kept up to 16 KiB, separators counted', async () => {
    const tiny = Array.from({ length: 3500 }, (_, i) => `${(i + 1000).toString(36)}:`);
    const result = await sendTo(says(response(200, '', tiny)));
    expect(result.kind).toBe('response');
    const headers = result.kind === 'response' ? Object.entries(result.headers) : [];
    expect(headers.length).toBeGreaterThan(1000);
    expect(headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0)).toBeLessThanOrEqual(16_384);
  });

  test('headers named like parts of an object are headers', async () => {
    const result = await sendTo(
      says(response(200, '', ['__proto__: a', 'constructor: b', 'toString: c', '__proto__: d'])),
    );
    expect(result.kind === 'response' && Object.entries(result.headers)).toEqual(
      expect.arrayContaining([
        ['__proto__', ['a', 'd']],
        ['constructor', 'b'],
        ['tostring', 'c'],
      ]),
    );
  });

  test('a reason phrase of 100 KB is nobody’s business, one of 1 MB is too much', async () => {
    const phrase = (length: number) => sendTo(says(`HTTP/1.1 200 ${'x'.repeat(length)}\r\ncontent-length: 0\r\n\r\n`));
    expect(await phrase(100_000)).toMatchObject({
      kind: 'response',
      statusCode: 200,
      headers: { 'content-length': '0' },
    });
    expect(await phrase(1_000_000)).toMatchObject({ kind: 'error', code: 'HEADERS_TOO_LARGE' });
  });

  test('a gzip bomb stays packed', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000)).toString('latin1');
    const result = await sendTo(says(response(200, bomb, ['content-encoding: gzip'])));
    expect(result).toMatchObject({
      kind: 'response',
      statusCode: 200,
      headers: { 'content-encoding': 'gzip' },
    });
    expect(result.kind === 'response' && result.body.toString('latin1')).toBe(bomb);
  });
});

describe('receivers that speak badly', () => {
  test.each([
    ['NUL', Buffer.from('a\0b')],
    ['invalid UTF-8', Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0xed, 0xa0, 0x80])],
  ])('%s in a body is kept byte for byte', async (_what, body) => {
    const result = await sendTo(says(response(200, body.toString('latin1'))));
    expect(result.kind === 'response' && result.body.equals(body)).toBe(true);
  });

  test.each<[string, string]>([
    ['nonsense', 'hello\r\n\r\n'],
    ['HTTP/0.9', '<html>hello</html>'],
    ['an unknown version', 'HTTP/7.1 200 OK\r\n\r\n'],
    ['a status of two digits', 'HTTP/1.1 99 X\r\n\r\n'],
    ['a status below 100', response('099', 'a')],
    ['a switch of protocols without a word', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
    ['a status of four digits', 'HTTP/1.1 2000 X\r\n\r\n'],
    ['a status of letters', 'HTTP/1.1 abc X\r\n\r\n'],
    ['a negative status', 'HTTP/1.1 -200 X\r\n\r\n'],
    ['NUL in a header', 'HTTP/1.1 200 OK\r\nX-A: a\0b\r\ncontent-length: 0\r\n\r\n'],
    ['a header without a colon', 'HTTP/1.1 200 OK\r\nX-A\r\ncontent-length: 0\r\n\r\n'],
    ['two content-lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
    ['a negative content-length', 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\nab'],
    [
      'content-length and transfer-encoding',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['an upgrade, which nobody asked for', 'HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'],
    ['TLS where plain text is spoken', '\x15\x03\x01\x00\x02\x02\x46'],
  ])('%s is a protocol error', async (_what, text) => {
    expect(await sendTo(says(text))).toMatchObject({ kind: 'error', code: 'PROTOCOL_ERROR' });
    expect(await sendTo(saysAndLeaves(text))).toMatchObject({ kind: 'error', code: 'PROTOCOL_ERROR' });
  });

  test.each<[string, Misbehaviour]>([
    ['resets the connection', resets],
    ['hangs up without a word', saysAndLeaves('')],
    ['hangs up in the status line', saysAndLeaves('HTTP/1.1 2')],
    ['hangs up in its headers', saysAndLeaves('HTTP/1.1 200 OK\r\nX-A: 1\r\n')],
    ['hangs up after 103', saysAndLeaves('HTTP/1.1 103 X\r\n\r\n')],
    ['hangs up after 100', saysAndLeaves('HTTP/1.1 100 Continue\r\n\r\n')],
  ])('one that %s has not answered', async (_what, misbehave) => {
    expect(await sendTo(misbehave)).toMatchObject({ kind: 'error', code: 'CONNECTION_RESET' });
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
    '100 Continue that nobody asked for, said %s, is no answer, and in a body it is left alone',
    async (_, misbehave) => {
      const result = await sendTo(misbehave);
      expect(result).toMatchObject({ kind: 'response', statusCode: 200 });
      expect(result.kind === 'response' && result.body.toString()).toBe(goOn);
    },
  );

  const brokenBodies: [string, Misbehaviour][] = [
    ['hangs up in the middle of a body', saysAndLeaves('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc')],
    [
      'hangs up in the middle of a chunk',
      saysAndLeaves('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\nabc'),
    ],
    ['hangs up between chunks', saysAndLeaves('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n')],
    ['sends a bad chunk', says('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n')],
    [
      'resets in the middle of a body',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc', () =>
          setTimeout(() => socket.resetAndDestroy(), 20),
        );
      },
    ],
  ];
  test.each(brokenBodies)('one that %s has answered', async (_what, misbehave) => {
    const result = await sendTo(misbehave);
    expect(result).toMatchObject({ kind: 'response', statusCode: 200, bodyTruncated: true });
    expect(result.kind === 'response' && 'abc'.startsWith(result.body.toString())).toBe(true);
  });

  test.each<[string, number, Misbehaviour]>([
    ['HTTP/1.0 with a body up to the end', 200, saysAndLeaves('HTTP/1.0 200 OK\r\n\r\nabc')],
    ['HTTP/1.1 with a body up to the end', 200, saysAndLeaves('HTTP/1.1 200 OK\r\n\r\nabc')],
    ['status 999', 999, says(response(999, 'abc'))],
    ['100 headers after 103', 404, says(`HTTP/1.1 103 X\r\nX-B: 1\r\n\r\n${response(404, 'abc')}`)],
    [
      'chunks with trailers',
      200,
      says('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-B: 1\r\n\r\n'),
    ],
  ])('%s is understood', async (_what, statusCode, misbehave) => {
    const result = await sendTo(misbehave);
    expect(result).toMatchObject({
      kind: 'response',
      statusCode,
      body: Buffer.from('abc'),
      bodyTruncated: false,
    });
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
    const expected = { kind: 'error', code: 'CONNECT_FAILED', durationMs: expect.any(Number) };
    expect(await send(`http://127.0.0.1:${port}/`)).toEqual(expected);
    const by = sender({ lookup: leadsTo('127.0.0.1', '127.0.0.1') });
    const timing = { dnsMs: expect.any(Number), connectMs: null, tlsMs: null, firstByteMs: null };
    expect(await send(`http://hooks.example.com:${port}/`, by)).toEqual({ ...expected, timing });
  });

  test('proxies of the environment are ignored', async () => {
    const good = await receiver(says(response(200)));
    const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'];
    const before = names.map((name) => process.env[name]);
    try {
      for (const name of names) {
        process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : canary.url;
      }
      expect(await send(good.url)).toMatchObject({ statusCode: 200 });
    } finally {
      names.forEach((name, i) => {
        if (before[i] === undefined) {
          delete process.env[name];
        } else {
          process.env[name] = before[i];
        }
      });
    }
    expect(canary.connections).toBe(0);
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

  test.each([
    ['that is self-signed', SELF_SIGNED, 'receiver.example.com', 'TLS_CERTIFICATE_UNTRUSTED'],
    ['that has expired', EXPIRED, 'receiver.example.com', 'TLS_CERTIFICATE_EXPIRED'],
    ['for another name', GOOD, 'other.example.com', 'TLS_CERTIFICATE_NAME'],
  ])('a certificate %s is refused, and nothing is sent', async (_what, cert, name, code) => {
    const bad = await receiver(says(response(200)), { tls: { key: KEY, cert } });
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    try {
      expect(await send(url(bad, name), toLoopback())).toMatchObject({ kind: 'error', code });
      process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
      expect(await send(url(bad, name), toLoopback())).toMatchObject({ kind: 'error', code });
    } finally {
      if (before === undefined) {
        delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      } else {
        process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
      }
    }
    expect(bad.received).toBe('');
  });

  test('a certificate for a name does not do for an address', async () => {
    const bad = await receiver(says(response(200)), { tls: { key: KEY, cert: GOOD } });
    expect(await send(bad.url)).toMatchObject({ kind: 'error', code: 'TLS_CERTIFICATE_NAME' });
  });

  test('TLS 1.1 is refused', async () => {
    const old = await receiver(says(response(200)), {
      tls: { key: KEY, cert: GOOD, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' },
    });
    expect(await send(url(old), toLoopback())).toMatchObject({ kind: 'error', code: 'TLS_FAILED' });
  });

  test('a handshake that stalls is given up at the connect limit', async () => {
    const stalled = await receiver(() => {});
    const by = sender({ lookup: leadsTo('127.0.0.1'), totalTimeoutMs: 5000 });
    const result = await by.send(url(stalled), request);
    expect(result).toMatchObject({ kind: 'error', code: 'CONNECT_TIMEOUT' });
    expect(result.durationMs).toBeLessThan(CONNECT_MS + 1500);
    await eventually(() => stalled.open === 0);
  });

  test('plain text where TLS is spoken is a failed handshake', async () => {
    const plain = await receiver(says(response(400)));
    expect(await send(url(plain), toLoopback())).toMatchObject({ kind: 'error', code: 'TLS_FAILED' });
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

  test.each([
    ['by TLS', 'TLS_FAILED', ['h2']],
    ['by its answer', 'PROTOCOL_ERROR', undefined],
  ])('a receiver that speaks HTTP/2 only says so %s', async (_, code, ALPNProtocols) => {
    // The settings with which a server begins to speak HTTP/2.
    const modern = await receiver(says(Buffer.from('000000040000000000', 'hex')), {
      tls: { key: KEY, cert: GOOD, ...(ALPNProtocols && { ALPNProtocols }) },
    });
    expect(await send(url(modern), toLoopback())).toMatchObject({ kind: 'error', code });
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

  test.each([
    ...['127.0.0.1', '127.1', '0177.0.0.1', '0x7f.1', '0x7f000001', '2130706433', '127.0.0.1.', '0', '0.0.0.0'],
    ...['１２７.０.０.１', '①②⑦.⓪.⓪.①', '127。0。0。1', '%31%32%37.0.0.1', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]'],
    ...['[::127.0.0.1]', '[::1]', '[::]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]', 'a@127.0.0.1', 'localhost'],
    ...['localhost.', 'a.localhost', 'backend', 'printer.local', 'metadata.google.internal'],
  ])('http://%s is refused when connecting too', async (host) => {
    const by = sender({ policy: closed, lookup: leadsTo('127.0.0.1') });
    for (const scheme of ['http', 'https']) {
      expect(await send(`${scheme}://${host}:${canary.port}/`, by)).toMatchObject({ code: 'TARGET_REFUSED' });
    }
    expect(canary.connections).toBe(0);
  });

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

  const privateAnswers = [
    ['127.0.0.1'],
    ['8.8.8.8', '127.0.0.1'],
    ['127.0.0.1', '8.8.8.8'],
    ['8.8.8.8', '::1'],
    ['::ffff:127.0.0.1'],
    ['::1', '2a00::1'],
    ['10.0.0.1'],
    ['169.254.169.254'],
    ['168.63.129.16'],
    ['64:ff9b::127.0.0.1'],
    ['0.0.0.0'],
    ['not an address'],
    ['127.1'],
    [...Array.from({ length: 499 }, (_, i) => `8.8.${i >> 8}.${i & 255}`), '127.0.0.1'],
  ];
  test.each(privateAnswers.map((answer) => [answer.slice(-2).join(', '), answer] as const))(
    'a name with the answer %s reads like a name without one',
    async (_text, answer) => {
      // What has failed is told when the attempt ends at the latest.
      const withAnswer = (addresses: string[]) =>
        sender({ policy: closed, lookup: leadsTo(...addresses), totalTimeoutMs: 500 });
      const [withoutAnswer, refused] = await Promise.all([
        send('http://hooks.example.com/', withAnswer([])),
        send(`http://hooks.example.com:${canary.port}/`, withAnswer(answer)),
      ]);
      expect(refused).toEqual({ kind: 'error', code: 'DNS_FAILED', durationMs: 500 });
      expect(refused).toEqual(withoutAnswer);
      expect(canary.connections).toBe(0);
    },
  );

  test('a name that was allowed and then leads elsewhere (rebinding) is refused at the next connection', async () => {
    // 127.0.0.1 plays the public address here, 127.0.0.2 the private one, on the same port.
    const good = await receiver(saysAndLeaves(response(200, '', ['connection: close'])));
    const inside = await receiver(says(response(200)), { host: '127.0.0.2', port: good.port });
    const by = sender({
      lookup: answering(['127.0.0.1'], ['127.0.0.2'], ['127.0.0.1', '127.0.0.2'], ['127.0.0.1']),
    });
    const url = `http://hooks.example.com:${good.port}/`;
    expect(await send(url, by)).toMatchObject({ statusCode: 200 });
    expect(await send(url, by)).toMatchObject({ code: 'DNS_FAILED' });
    expect(await send(url, by)).toMatchObject({ code: 'DNS_FAILED' });
    expect(await send(url, by)).toMatchObject({ statusCode: 200 });
    expect(inside.connections).toBe(0);
    expect(good.connections).toBe(2);
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
    const startedAt = performance.now();
    const names = Array.from({ length: 50 }, (_, i) => `n${i}.example.com`);
    const results = await Promise.allSettled(names.map((name) => resolve(name)));
    expect(results.every(({ status }) => status === 'rejected')).toBe(true);
    expect(performance.now() - startedAt).toBeLessThan(800);
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
