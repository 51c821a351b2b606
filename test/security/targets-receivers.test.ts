import { setDefaultCACertificates } from 'node:tls';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { AUTHORITY, GOOD, KEY } from '../support/certificates.js';
import { has } from '../support/fake-dns.js';
import { answersEach, type HostileReceiver, response, startHostileReceiver } from '../support/hostile-receivers.js';
import { addressesIn, TargetSite } from '../support/target-site.js';

/** Receivers that are allowed live here, at ports of their own. */
const OUTSIDE = '127.0.0.2';
const PROXY_NAMES = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'];

/** Where a receiver would like us to go; CANARY stands for its port. */
const places = [
  'http://127.0.0.1:CANARY/',
  'https://127.0.0.1:CANARY/',
  'http://[::1]:CANARY/',
  'http://localhost:CANARY/',
  'http://inside.example.com:CANARY/',
  '//127.0.0.1:CANARY/',
  'file:///etc/passwd',
];
const statuses = [300, 301, 302, 303, 305, 307, 308];
const redirects = statuses.flatMap((status) =>
  places.map((place): [string, string] => [`${status} to ${place}`, response(status, '', [`Location: ${place}`])]),
);

/** Other hints that a client might follow. */
const hints: [string, string][] = [
  ['200 with Refresh', response(200, '', ['Refresh: 0; url=http://127.0.0.1:CANARY/'])],
  ['200 with a Location', response(200, '', ['Location: http://127.0.0.1:CANARY/'])],
  ['201 with a Content-Location', response(201, '', ['Content-Location: http://127.0.0.1:CANARY/'])],
  ['200 with Alt-Svc', response(200, '', ['Alt-Svc: http/1.1="127.0.0.1:CANARY"; ma=86400'])],
  ['200 with a preload', response(200, '', ['Link: <http://127.0.0.1:CANARY/>; rel=preload'])],
  ['103 with a preload', `HTTP/1.1 103 Hints\r\nLink: <http://127.0.0.1:CANARY/>; rel=preload\r\n\r\n${response(200)}`],
  ['401 with a challenge', response(401, '', ['WWW-Authenticate: Basic realm="http://127.0.0.1:CANARY/"'])],
  ['407 with a challenge', response(407, '', ['Proxy-Authenticate: Basic realm="http://127.0.0.1:CANARY/"'])],
  ['421 to somewhere else', response(421, '', ['Location: http://127.0.0.1:CANARY/'])],
  ['a meta refresh', response(200, '<meta http-equiv="refresh" content="0; url=http://127.0.0.1:CANARY/">')],
];
const cases = [...redirects, ...hints];

/** Paths and queries that try to end the request line. */
const injections = [
  '/a%0d%0aX-Injected:%201',
  '/a\r\nX-Injected: 1',
  '/a\nX-Injected: 1',
  '/?q=%0aX-Injected:1',
  '/?q=\r\n\r\nGET http://127.0.0.1:CANARY/ HTTP/1.1\r\nX-Injected: 1',
  '/ HTTP/1.1\r\nX-Injected: 1\r\n\r\n',
  '/a b HTTP/1.1',
  '/\u010d\u010aX-Injected: 1',
  '/\u0000X-Injected: 1',
  '//127.0.0.1:CANARY/',
  '/http://127.0.0.1:CANARY/',
];

setDefaultCACertificates([AUTHORITY]);
const site = await TargetSite.open();
const { port } = site.canary;
for (const name of PROXY_NAMES) {
  vi.stubEnv(name, name === 'NODE_USE_ENV_PROXY' ? '1' : `http://127.0.0.1:${port}`);
}
site.dns.answerWith((name, type) =>
  has([name === 'receiver.example.com' ? OUTSIDE : '127.0.0.1'], { ttl: 0 })(name, type),
);
/** Not all: what the service tells of failing webhooks would come too. */
const types = ['coupon.applied'];
/** The path says what to answer. */
const misbehave = answersEach((request) => {
  const [, text] = cases[Number(/^POST \/(\d+) /.exec(request)?.[1])]!;
  return text.replaceAll('CANARY', String(port));
});
const plain = await startHostileReceiver(misbehave, { host: OUTSIDE });
const secure = await startHostileReceiver(misbehave, { host: OUTSIDE, tls: { key: KEY, cert: GOOD } });
const overHttp: number[] = [];
const overHttps: number[] = [];
for (const index of cases.keys()) {
  overHttp.push((await site.stack.webhook(`http://${OUTSIDE}:${plain.port}/${index}`, types)).id);
  overHttps.push((await site.stack.webhook(`https://receiver.example.com:${secure.port}/${index}`, types)).id);
}
const injected: { id: number; receiver: HostileReceiver }[] = [];
for (const path of injections) {
  const receiver = await startHostileReceiver(answersEach(response(200)), { host: OUTSIDE });
  const url = `http://${OUTSIDE}:${receiver.port}${path.replaceAll('CANARY', String(port)).replaceAll('\0', '')}`;
  injected.push({ id: (await site.stack.webhook(url, types)).id, receiver });
}
site.startDaemon();
const readings = await site.deliver();
afterAll(async () => {
  vi.unstubAllEnvs();
  await site[Symbol.asyncDispose]();
  await Promise.all([plain, secure, ...injected.map(({ receiver }) => receiver)].map((one) => one.close()));
});

describe('receivers that would like us to go elsewhere, beside proxies in the environment', () => {
  test.each(cases.map(([what, text], i) => [what, text, i] as const))(
    '%s is an answer like any other, over http and https',
    (_what, text, i) => {
      const status = Number(/(?:^|\r\n\r\n)HTTP\/1\.1 ([2-5]\d\d)/.exec(text)?.[1]);
      for (const id of [overHttp[i]!, overHttps[i]!]) {
        const { attempts, lastErrorCode } = readings.get(id)!;
        expect(attempts).toHaveLength(1);
        expect(attempts[0]).toMatchObject({ statusCode: status });
        expect(lastErrorCode).toBe(status < 300 ? null : `HTTP_${status}`);
      }
    },
  );

  test('each was asked once, by its own daemon and over no proxy, and the canary not at all', () => {
    expect(cases.length * 2).toBeGreaterThanOrEqual(90);
    for (const { received } of [plain, secure]) {
      const lines = received.match(/POST \/\d+(?= HTTP)/g) ?? [];
      expect(lines.toSorted()).toEqual(cases.map((_, i) => `POST /${i}`).toSorted());
    }
    expect(site.dns.questions.every((question) => question.endsWith(' receiver.example.com'))).toBe(true);
    expect(site.canary.connections).toBe(0);
  });
});

describe('paths that try to be more than a path', () => {
  test.each(injections.map((path, i) => [path, i] as const))('%j stays one', (_path, i) => {
    const { id, receiver } = injected[i]!;
    expect(readings.get(id)).toMatchObject({ status: 'SUCCEEDED' });
    const [head = ''] = receiver.received.split('\r\n\r\n');
    expect(head).toMatch(/^POST \/[!-~]* HTTP\/1\.1\r\n/);
    expect(head).not.toMatch(/^x-injected/im);
    expect(receiver.received.match(/ HTTP\/1\.1/g)).toHaveLength(1);
    expect(head).toContain(`host: ${OUTSIDE}:${receiver.port}\r\n`);
    expect(addressesIn(readings.get(id)!.text)).toEqual([]);
  });
});
