import { setDefaultCACertificates } from 'node:tls';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Sender, SenderOptions } from '../../daemon/sending/send.js';
import { readConfig } from '../../src/platform/settings/config.js';
import { AUTHORITY, EXPIRED, GOOD, KEY, LOCALHOST, SELF_SIGNED } from '../support/certificates.js';
import { eventually } from '../support/eventually.js';
import { type FakeProxy, startFakeProxy, type TunnelAnswer } from '../support/fake-proxy.js';
import {
  answersEach,
  type HostileReceiver,
  response,
  says,
  startHostileReceiver,
} from '../support/hostile-receivers.js';
import { openSender } from '../support/sender.js';

const CONNECT_MS = 1_000;
const request = { headers: { 'X-Service-Event': 'a.b' }, body: Buffer.from('{"a":"ä"}') };
const policy = { allowHttp: true, allowedRanges: [], loopbackHttp: false };

const closing: (() => Promise<unknown>)[] = [];
let receiver: HostileReceiver;
let proxy: FakeProxy;

beforeAll(() => setDefaultCACertificates([AUTHORITY, LOCALHOST.cert]));
beforeEach(async () => {
  receiver = await startHostileReceiver(answersEach(response(200, 'thanks')));
  proxy = await startFakeProxy(() => ({ port: receiver.port }));
});
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
  await proxy.close();
  await receiver.close();
});

function sender(options: Partial<SenderOptions> = {}): Sender {
  const made = openSender({
    policy,
    connectTimeoutMs: CONNECT_MS,
    totalTimeoutMs: 5_000,
    lookup: () => {
      throw new Error('names are the proxy’s business');
    },
    egressProxy: proxy.url,
    ...options,
  });
  closing.unshift(() => made.close());
  return made;
}

const send = (url: string, by = sender()) => by.send(url, request);

const receiverWithTls = () => startHostileReceiver(answersEach(response(200)), { tls: { key: KEY, cert: GOOD } });

describe('behind an egress proxy', () => {
  test('an http target is reached through a tunnel, as if there were none', async () => {
    const result = await send('http://receiver.example.com/hook?a=b');
    expect(proxy.asked).toEqual(['receiver.example.com:80']);
    expect(result).toMatchObject({ kind: 'response', statusCode: 200, body: Buffer.from('thanks') });
    expect(result.kind === 'response' && result.headers).toEqual({ 'content-length': '6' });
    expect(receiver.received).toMatch(/^POST \/hook\?a=b HTTP\/1\.1\r\nhost: receiver\.example\.com\r\n/);
    expect(receiver.received).not.toMatch(/proxy|connect /i);
    expect(Buffer.from(receiver.received, 'latin1').subarray(-request.body.length)).toEqual(request.body);
  });

  test.each([
    ['https://receiver.example.com/', 'receiver.example.com:443'],
    ['https://receiver.example.com:8443/', 'receiver.example.com:8443'],
    ['http://receiver.example.com.:8080/', 'receiver.example.com.:8080'],
    ['http://93.184.215.14/', '93.184.215.14:80'],
    ['https://[2a00::1]/', '[2a00::1]:443'],
    ['https://faß.de/', 'xn--fa-hia.de:443'],
  ])('for %s it is asked for %s', async (url, authority) => {
    proxy.answerWith(() => 'HTTP/1.1 502 no\r\n\r\n');
    expect(await send(url)).toMatchObject({ code: 'CONNECT_FAILED' });
    expect([proxy.asked, proxy.headers[0]?.host]).toEqual([[authority], authority]);
  });

  test('TLS is spoken with the receiver, and the proxy cannot read along', async () => {
    await using secure = await receiverWithTls();
    proxy.answerWith(() => ({ port: secure.port }));
    expect(await send('https://receiver.example.com/')).toMatchObject({ statusCode: 200 });
    expect(secure.received).toContain('X-Service-Event: a.b\r\n');
    expect(proxy.seen).not.toContain('X-Service-Event');
    expect(proxy.seen.length).toBeGreaterThan(100);
  });

  test.each([
    ['for another name', GOOD, 'other.example.com', 'TLS_CERTIFICATE_NAME'],
    ['that has expired', EXPIRED, 'receiver.example.com', 'TLS_CERTIFICATE_EXPIRED'],
    ['that nobody vouches for', SELF_SIGNED, 'receiver.example.com', 'TLS_CERTIFICATE_UNTRUSTED'],
    ['of the proxy itself', LOCALHOST.cert, '8.8.8.8', 'TLS_CERTIFICATE_NAME'],
  ])('a receiver’s certificate %s is refused, and nothing is sent', async (_what, cert, host, code) => {
    await using bad = await startHostileReceiver(says(response(200)), {
      tls: cert === LOCALHOST.cert ? LOCALHOST : { key: KEY, cert },
    });
    proxy.answerWith(() => ({ port: bad.port }));
    expect(await send(`https://${host}/`)).toMatchObject({ kind: 'error', code });
    expect(bad.received).toBe('');
  });

  test('a proxy may speak TLS itself, to http and https targets, with a certificate that is verified', async () => {
    await using secure = await receiverWithTls();
    await using tlsProxy = await startFakeProxy(
      (authority) => ({ port: authority.endsWith(':443') ? secure.port : receiver.port }),
      { tls: LOCALHOST },
    );
    const by = sender({ egressProxy: tlsProxy.url });
    expect(await send('http://receiver.example.com/', by)).toMatchObject({ statusCode: 200 });
    expect(await send('https://receiver.example.com/', by)).toMatchObject({ statusCode: 200 });

    await using impostor = await startFakeProxy(() => ({ port: receiver.port }), { tls: { key: KEY, cert: GOOD } });
    const tricked = sender({ egressProxy: impostor.url });
    await expect(send('http://receiver.example.com/', tricked)).rejects.toThrow('It cannot be reached.');
    expect(impostor.asked).toEqual([]);
  });

  test('a tunnel is used again and again', async () => {
    const by = sender();
    for (let i = 0; i < 10; i++) {
      expect(await send('http://receiver.example.com/', by)).toMatchObject({ statusCode: 200 });
    }
    // Two: undici lends a connection again only after a turn of the event loop, and we are quicker.
    expect(proxy.asked.length).toBeLessThanOrEqual(2);
    await by.close();
    await eventually(() => proxy.open === 0 && receiver.open === 0);
  });

  test('credentials are sent to the proxy, decoded, and to nobody else', async () => {
    const { port } = proxy;
    await send('http://receiver.example.com/', sender({ egressProxy: `http://me:p%40ss%3a@127.0.0.1:${port}` }));
    expect(proxy.headers[0]?.['proxy-authorization']).toBe(`Basic ${Buffer.from('me:p@ss:').toString('base64')}`);
    expect(receiver.received).not.toMatch(/authorization/i);
  });

  test.each([
    ...['http://127.0.0.1/', 'http://0x7f.1/', 'https://10.0.0.1/', 'http://[::1]/', 'http://[::ffff:7f00:1]/'],
    ...['http://169.254.169.254/', 'http://localhost/', 'http://backend/', 'http://metadata.google.internal/'],
    ...['http://receiver.example.com:25/', 'http://receiver.example.com:6379/', 'ftp://receiver.example.com/'],
  ])('%s is still refused by us, without a word to the proxy', async (url) => {
    expect(await send(url)).toMatchObject({ kind: 'error', code: 'TARGET_REFUSED' });
    expect([proxy.open, receiver.connections]).toEqual([0, 0]);
  });

  test.each([
    'HTTP/1.1 403 Forbidden: 10.0.0.7 is private',
    'HTTP/1.1 407 Request rejected by proxy\r\nX-Smokescreen-Error: 10.0.0.7 is private',
    'HTTP/1.1 404 Not Found',
    'HTTP/1.1 500 Internal server error',
    'HTTP/1.1 502 Bad gateway: connect 10.0.0.7:80 refused',
    'HTTP/1.1 503 Service Unavailable',
    'HTTP/1.1 504 Gateway timeout',
    'HTTP/1.1 302 Found\r\nLocation: http://10.0.0.7/',
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade',
  ])('the proxy’s "%s" reads like no connection, and not a word of it comes back', async (head) => {
    proxy.answerWith(() => `${head}\r\nContent-Length: 8\r\n\r\n10.0.0.7`);
    expect(await send('https://receiver.example.com/')).toEqual({
      kind: 'error',
      code: 'CONNECT_FAILED',
      sent: false,
      durationMs: 1_000, // whatever its reason was: docs/decisions/0028
    });
    await eventually(() => proxy.open === 0);
  });
});

describe('the limits of a tunnel', () => {
  test('a proxy that is alive and never says whether there is a tunnel is given up at the connect limit', async () => {
    proxy.answerWith(() => null);
    const result = await send('http://receiver.example.com/', sender({ totalTimeoutMs: 30_000 }));
    expect(result).toMatchObject({ kind: 'error', code: 'CONNECT_TIMEOUT' });
    expect(result.durationMs).toBeGreaterThanOrEqual(CONNECT_MS - 5);
    expect(result.durationMs).toBeLessThan(CONNECT_MS + 5_000);
    await eventually(() => proxy.open === 0);
  });

  test.each([
    ['a TLS handshake that stalls', 'connect', 'https', 30_000, 'CONNECT_TIMEOUT'],
    ['a receiver that never answers', 'total', 'http', 1_500, 'TIMEOUT'],
  ])('%s in a tunnel is given up at the %s limit', async (_what, _limit, scheme, totalTimeoutMs, code) => {
    await using silent = await startHostileReceiver(() => {});
    proxy.answerWith(() => ({ port: silent.port }));
    const result = await send(`${scheme}://receiver.example.com/`, sender({ totalTimeoutMs }));
    expect(result).toMatchObject({ kind: 'error', code });
    expect(result.durationMs).toBeLessThan(CONNECT_MS + 5_000);
    await eventually(() => proxy.open === 0 && silent.open === 0);
  });

  test('a receiver that hangs up in the tunnel has hung up', async () => {
    await using rude = await startHostileReceiver((socket) => socket.resetAndDestroy());
    proxy.answerWith(() => ({ port: rude.port }));
    expect(await send('http://receiver.example.com/')).toMatchObject({ code: 'CONNECTION_RESET' });
  });
});

describe('a proxy that is away is a fault of our own', () => {
  test.each<[string, TunnelAnswer, string]>([
    ['hangs up', 'HANG_UP', 'It gives no HTTP answer.'],
    ['speaks something else', 'SSH-2.0-OpenSSH_9.6\r\n', 'It gives no HTTP answer.'],
    [
      'demands other credentials',
      'HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm="10.0.0.7"\r\nContent-Length: 0\r\n\r\n',
      'It demands credentials, or other ones.',
    ],
  ])('one that %s: send() throws, and tells nothing that is secret', async (_what, said, message) => {
    proxy.answerWith(() => said);
    const by = sender({ egressProxy: `http://me:hush@127.0.0.1:${proxy.port}` });
    const error: Error = await send('http://receiver.example.com/', by).then(
      () => expect.fail('it was sent'),
      (thrown) => thrown,
    );
    expect([error.name, error.message]).toEqual(['EgressProxyAway', message]);
    expect(JSON.stringify([error, error.stack, error.cause])).not.toMatch(/hush|bWU6aHVzaA/);
    await eventually(() => proxy.open === 0);
  });

  test('one that is not there', async () => {
    await proxy.close();
    const away = { name: 'EgressProxyAway', message: 'It cannot be reached.' };
    await expect(send('http://receiver.example.com/')).rejects.toMatchObject(away);
    proxy = await startFakeProxy(() => null);
  });

  test('one that accepts no connection in half an attempt’s time, however long connecting may take', async () => {
    await using silent = await startHostileReceiver(() => {});
    // Its TLS handshake never ends.
    const egressProxy = `https://127.0.0.1:${silent.port}`;
    const by = sender({ egressProxy, connectTimeoutMs: 10_000, totalTimeoutMs: 3_000 });
    await expect(send('http://receiver.example.com/', by)).rejects.toThrow('It cannot be reached.');
  });
});

describe('the setting EGRESS_PROXY', () => {
  test.each(['http://proxy:4750', 'https://proxy/', 'http://a:b%40@[::1]:3128/', 'HTTP://10.0.0.1'])(
    '%s is taken',
    (text) => {
      expect(readConfig({ EGRESS_PROXY: text }).delivery.egressProxy).toBe(text);
    },
  );

  test.each([
    ...['proxy:4750', 'socks5://proxy', 'http://', 'http:///proxy', 'http://proxy/path', 'http://proxy/?a=b'],
    ...['http://proxy/#a', 'http://a:%ff@proxy', 'http://pro xy', 'hush'],
  ])('%s is refused without being shown: there may be a password in it', (text) => {
    expect(() => readConfig({ EGRESS_PROXY: text })).toThrow(
      /^EGRESS_PROXY is \(not shown\); allowed: an http:\/\/ or https:\/\/ URL/,
    );
  });

  test('there is none by default, whatever the environment says of proxies', () => {
    const env = { HTTP_PROXY: 'http://a', https_proxy: 'http://a', ALL_PROXY: 'x', NODE_USE_ENV_PROXY: '1' };
    expect(readConfig(env).delivery.egressProxy).toBeUndefined();
  });
});
