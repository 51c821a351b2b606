import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { getIntrospectionQuery } from 'graphql';
import { request } from 'undici';
import { afterAll, describe, expect, test } from 'vitest';
import { makeTenant } from '../support/factories.js';
import { GraphqlApi } from '../support/graphql-api.js';

const api = await GraphqlApi.open();
const url = await api.server.listen({ port: 0, host: '127.0.0.1' });
const { key } = await makeTenant(api.services);
afterAll(() => api.close());

interface Asked {
  encoding?: string;
  json?: unknown;
  headers?: Record<string, string>;
}

/** An answer as it was on the wire. */
async function ask(path: string, { encoding, json, headers = {} }: Asked) {
  const {
    statusCode,
    headers: got,
    body,
  } = await request(`${url}${path}`, {
    method: json === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      ...(encoding === undefined ? {} : { 'accept-encoding': encoding }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  return { status: statusCode, headers: got, bytes: Buffer.from(await body.arrayBuffer()) };
}

const unpack: Record<string, (bytes: Buffer) => Buffer> = { br: brotliDecompressSync, gzip: gunzipSync };
const introspection = { json: { query: getIntrospectionQuery() } };

describe.each([
  ['the OpenAPI document', '/api/v1/openapi.json', {}],
  ['an answer of GraphQL', '/graphql', introspection],
])('%s', (_, path, asked) => {
  test.each(['br', 'gzip'])('is sent in %s to who accepts it, and says the same', async (encoding) => {
    const plain = await ask(path, asked);
    const packed = await ask(path, { ...asked, encoding });
    expect(plain.headers).not.toHaveProperty('content-encoding');
    expect(packed.headers).toMatchObject({
      'content-encoding': encoding,
      vary: expect.stringMatching(/accept-encoding/i),
    });
    expect(unpack[encoding]!(packed.bytes).equals(plain.bytes)).toBe(true);
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 4);
  });

  test.each(['identity', 'zstd', 'br;q=0, gzip;q=0'])('is sent as it is to who accepts %s', async (encoding) => {
    expect((await ask(path, { ...asked, encoding })).headers).not.toHaveProperty('content-encoding');
  });
});

test('the OpenAPI document takes at most 20 kB on the wire', async () => {
  expect((await ask('/api/v1/openapi.json', { encoding: 'gzip, deflate, br' })).bytes.length).toBeLessThan(20_000);
});

test('a short answer is sent as it is, with its length', async () => {
  const { headers, bytes } = await ask('/graphql', { encoding: 'br, gzip', json: { query: '{ viewer { scopes } }' } });
  expect(headers).not.toHaveProperty('content-encoding');
  expect(headers['content-length']).toBe(String(bytes.length));
});

test('a stream of updates is not held back by compressing it', async () => {
  const { headers, body } = await request(`${url}/graphql/stream`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'accept-encoding': 'br, gzip' },
    body: JSON.stringify({ query: 'subscription { deliveryUpdated { delivery { id } } }' }),
  });
  expect(headers['content-type']).toContain('text/event-stream');
  expect(headers).not.toHaveProperty('content-encoding');
  body.destroy();
});

test('a compressed request is refused, however small it is', async () => {
  const { statusCode, body } = await request(`${url}/api/v1/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: gzipSync(JSON.stringify({ url: 'https://example.com/', events: ['*'] })),
  });
  expect(statusCode).toBe(415);
  await body.dump();
});
