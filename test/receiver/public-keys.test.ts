import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { webhook } from '../../packages/receiver/src/adapters/fetch.js';
import { verify } from '../../packages/receiver/src/index.js';
import type { KeyVector } from '../../scripts/receiver-vectors.js';
import { openServer } from '../support/loopback.js';

const vectors: KeyVector[] = JSON.parse(readFileSync('packages/receiver/vectors/v2.json', 'utf8'));
const named = (name: string) => vectors.find((vector) => vector.name === `key pair: ${name}`)!;
const good = named('as the service sends it');

interface Published {
  keys: KeyVector['keys'];
  status: number;
  headers: Record<string, string>;
}

let published: Published;
let asked: number;
let jwks: string;
let close: () => Promise<void>;
let path = 0;

beforeEach(async () => {
  published = { keys: good.keys, status: 200, headers: { 'cache-control': 'public, max-age=300' } };
  asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    response.writeHead(published.status, published.headers).end(JSON.stringify({ keys: published.keys }));
  });
  const opened = await openServer(server);
  close = opened.close;
  jwks = `http://127.0.0.1:${opened.port}/keys/${++path}.json`;
});
afterEach(async () => {
  vi.restoreAllMocks();
  await close();
});

const check = ({ headers, bodyBase64, now }: KeyVector) =>
  verify(Buffer.from(bodyBase64, 'base64'), headers, { jwks }, { now: new Date(now * 1_000) });

const clock = performance.now.bind(performance);

/** The receiver's clock is ahead of the real one from now on. */
function pass(seconds: number) {
  vi.spyOn(performance, 'now').mockImplementation(() => clock() + seconds * 1_000);
}

test.each(vectors)('the public vector "$name"', async (vector) => {
  published.keys = vector.keys;
  expect(await check(vector)).toMatchObject(vector.expect);
});

test('the keys are read once, also by deliveries at once, and again after max-age', async () => {
  expect(await Promise.all([check(good), check(good), check(good)])).toMatchObject([
    { ok: true },
    { ok: true },
    { ok: true },
  ]);
  await check(good);
  expect(asked).toBe(1);
  pass(301);
  await check(good);
  expect(asked).toBe(2);
});

test('a key that is new is read at once, and junk makes one request a minute', async () => {
  published.keys = good.keys.slice(0, 1);
  expect(await check(good)).toMatchObject({ reason: 'WRONG_KEY' });
  expect(asked).toBe(1);
  pass(61);
  expect(await Promise.all([check(good), check(named('an altered webhook-id'))])).toMatchObject([
    { reason: 'WRONG_KEY' },
    { reason: 'WRONG_KEY' },
  ]);
  expect(asked).toBe(2);
  published.keys = good.keys;
  pass(122);
  expect(await check(good)).toMatchObject({ ok: true, secret: -1, kid: good.keys[1]!.kid });
  expect(asked).toBe(3);
});

test('while the keys cannot be read, those at hand serve for an hour more, and without any the service tries again', async () => {
  published.status = 503;
  expect(await check(good)).toMatchObject({ ok: false, reason: 'KEYS_UNAVAILABLE', status: 500 });
  published.status = 200;
  pass(61);
  expect(await check(good)).toMatchObject({ ok: true });
  published.status = 503;
  pass(61 + 300 + 3_590);
  expect(await check(good)).toMatchObject({ ok: true });
  pass(61 + 300 + 3_700);
  expect(await check(good)).toMatchObject({ reason: 'KEYS_UNAVAILABLE' });
});

test('until there are keys, they are asked for after 1 s, 2 s, 4 s and so on to a minute', async () => {
  published.status = 503;
  let seconds = 0;
  for (const [index, pause] of [1, 2, 4, 8, 16, 32, 60, 60].entries()) {
    expect(await check(good)).toMatchObject({ reason: 'KEYS_UNAVAILABLE' });
    expect(asked).toBe(index + 1);
    pass(seconds + pause - 0.8);
    expect(await check(good)).toMatchObject({ reason: 'KEYS_UNAVAILABLE' });
    expect(asked).toBe(index + 1);
    seconds += pause;
    pass(seconds);
  }
  published.status = 200;
  expect(await check(good)).toMatchObject({ ok: true });
});

test('an address that nobody answers at first is asked again a second later, and then once a minute', async () => {
  await close();
  expect(await check(good)).toMatchObject({ reason: 'KEYS_UNAVAILABLE', status: 500 });
  const server = createServer((_request, response) => {
    asked += 1;
    response.writeHead(200, published.headers).end(JSON.stringify({ keys: good.keys.slice(0, 1) }));
  });
  await new Promise<void>((resolve) => server.listen(Number(new URL(jwks).port), '127.0.0.1', resolve));
  close = async () => void server.close();
  pass(1);
  for (const seconds of [1, 20, 59]) {
    pass(seconds);
    expect(await check(good)).toMatchObject({ reason: 'WRONG_KEY' });
  }
  expect(asked).toBe(1);
});

test.each<[string, Partial<Published>]>([
  ['without keys', { keys: [] }],
  ['with keys of other kinds', { keys: [{ kty: 'RSA', kid: 'x' } as never] }],
  ['with a damaged key', { keys: [{ ...good.keys[0]!, x: 'AAAA' }] }],
  ['that redirects', { status: 302, headers: { location: 'https://thief.example.com/keys.json' } }],
])('an address %s gives no key', async (_, change) => {
  Object.assign(published, change);
  expect(await check(good)).toMatchObject({ reason: 'KEYS_UNAVAILABLE' });
});

test.each(['http://keys.example.com/a.json', 'ftp://localhost/a.json', 'a.json'])('%s is no address', async (url) => {
  await expect(verify('', {}, { jwks: url })).rejects.toThrow(TypeError);
});

test('a webhook takes the address in place of the secret', async () => {
  const handled = vi.fn();
  const on = { 'booking.created': handled };
  const take = webhook({ secret: { jwks }, on, toleranceSeconds: 1e9, onRefused: () => {} });
  const request = ({ headers, bodyBase64 }: KeyVector) =>
    new Request('http://localhost/webhooks', { method: 'POST', headers, body: Buffer.from(bodyBase64, 'base64') });
  expect((await take(request(good))).status).toBe(200);
  expect((await take(request(named('signed by the secret alone')))).status).toBe(401);
  expect(handled).toHaveBeenCalledTimes(1);
});
