import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { SHORT_BODY_BYTES_MAX } from '../../src/api/http/graphql-endpoint.js';
import { formatApiKey } from '../../src/domain/keys/api-key.js';
import { expectLimited, LimitedApi } from '../support/limited-api.js';
import { expectProblem, type RestRequest } from '../support/rest-api.js';

const wrongKey = () => formatApiKey(999_999, randomBytes(32));
const from = (remoteAddress: string, forwardedFor?: string): RestRequest => ({
  remoteAddress,
  ...(forwardedFor === undefined ? {} : { headers: { 'x-forwarded-for': forwardedFor } }),
});

describe('bad keys', () => {
  const limited = new LimitedApi({ KEY_FAILURES_RATE_MAX: '1' });
  const ask = (key: string, request: RestRequest) => limited.api.ask('GET /webhooks', { ...request, key });
  const useUp = async (request: RestRequest) => {
    for (let i = 0; i < 10; i++) {
      expectProblem(await ask(i % 2 ? wrongKey() : 'malformed', request), 'unauthenticated');
    }
  };

  test('are limited for each address, for REST and GraphQL alike', async () => {
    await useUp(from('192.0.2.1'));
    expectLimited(await ask(wrongKey(), from('192.0.2.1')), 1);
    expectLimited(await ask('malformed', from('192.0.2.1')), 1);
    const query = '{ viewer { scopes } }';
    expectLimited(await limited.graphql(query, {}, { key: wrongKey(), ...from('192.0.2.1') }), 1);
    expectProblem(await ask(wrongKey(), from('192.0.2.2')), 'unauthenticated');
    limited.nowMs += 1_000;
    expectProblem(await ask(wrongKey(), from('192.0.2.1')), 'unauthenticated');
    expectLimited(await ask(wrongKey(), from('192.0.2.1')), 1);
  });

  test('are limited for a /64 of IPv6', async () => {
    await useUp(from('2001:db8:1:2::1'));
    expectLimited(await ask(wrongKey(), from('2001:db8:1:2:ffff::9')), 1);
    expectProblem(await ask(wrongKey(), from('2001:db8:1:3::1')), 'unauthenticated');
  });

  test('hold back keys that nobody knows yet, and none that was good before', async () => {
    const [known, newcomer] = [await limited.newTenant(), await limited.newTenant()];
    expect((await ask(known.key, from('192.0.2.3'))).status).toBe(200);
    await useUp(from('192.0.2.3'));
    expect((await ask(known.key, from('192.0.2.3'))).status).toBe(200);
    expectLimited(await ask(newcomer.key, from('192.0.2.3')), 1);
    expect((await ask(newcomer.key, from('192.0.2.4'))).status).toBe(200);
    expect((await ask(newcomer.key, from('192.0.2.3'))).status).toBe(200);
  });

  test('are not good ones: those use up nothing', async () => {
    for (let i = 0; i < 12; i++) {
      expect((await ask((await limited.newTenant()).key, from('192.0.2.5'))).status).toBe(200);
    }
  });

  test('get no other address from a header', async () => {
    await useUp(from('192.0.2.6', '198.51.100.1'));
    expectLimited(await ask(wrongKey(), from('192.0.2.6', '198.51.100.2')), 1);
    expectProblem(await ask(wrongKey(), from('198.51.100.1')), 'unauthenticated');
  });
});

describe('behind TRUSTED_PROXIES', () => {
  const limited = new LimitedApi({ KEY_FAILURES_RATE_MAX: '1', TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.99' });
  const ask = (request: RestRequest) => limited.api.ask('GET /webhooks', { ...request, key: wrongKey() });

  test('the address is the last one that no trusted proxy has', async () => {
    for (let i = 0; i < 10; i++) {
      expectProblem(await ask(from('10.0.0.1', `203.0.113.${i}, 198.51.100.1, 192.0.2.99`)), 'unauthenticated');
    }
    expectLimited(await ask(from('10.0.0.2', '203.0.113.99, 198.51.100.1')), 1);
    // As Node writes an address of IPv4 where the service listens on ::.
    expectLimited(await ask(from('::ffff:10.0.0.3', '198.51.100.1')), 1);
    expectProblem(await ask(from('10.0.0.1', '198.51.100.2')), 'unauthenticated');
    // Whoever is not a trusted proxy is asked nothing.
    expectProblem(await ask(from('192.0.2.7', '198.51.100.1')), 'unauthenticated');
  });
});

describe('requests without a key', () => {
  const limited = new LimitedApi({ ANONYMOUS_RATE_MAX: '1' });
  const without = (address: string) => ({ key: null, ...from(address) });
  const introspection = '{ __schema { queryType { name } } }';
  const lines = ['GET //', 'GET //graphiql', 'GET /openapi.json', 'GET //problems/rate-limited'];

  test('are limited for each address, over all that is served without one', async () => {
    for (let i = 0; i < 10; i++) {
      const line = lines[i % lines.length]!;
      expect((await limited.api.ask(line, without('192.0.2.1'))).status).toBe(200);
    }
    for (const line of lines) {
      expectLimited(await limited.api.ask(line, without('192.0.2.1')), 1);
      // Nor does a key help that nobody looks at.
      expectLimited(await limited.api.ask(line, { key: 'any', ...from('192.0.2.1') }), 1);
    }
    expectLimited(await limited.api.ask('GET /webhooks', without('192.0.2.1')), 1);
    expectLimited(await limited.graphql(introspection, {}, without('192.0.2.1')), 1);
    expect((await limited.graphql(introspection, {}, without('192.0.2.2'))).status).toBe(200);
    limited.nowMs += 1_000;
    expect((await limited.api.ask('GET //', without('192.0.2.1'))).status).toBe(200);
  });

  test('for the whole schema count ten times as much, and other introspection does not', async () => {
    const ask = (query: string) => limited.graphql(query, {}, without('192.0.2.4'));
    const refused = await ask('fragment F on Query { __typename } { __typename __schema { types { name } } }');
    expect(refused.status).toBe(400); // F is not used: what is refused as a document counts once
    expect((await ask('{ __type(name: "Event") { name } }')).status).toBe(200);
    expectLimited(await ask(introspection), 3);
    limited.nowMs += 3_000;
    expect((await ask(introspection)).status).toBe(200);
    expectLimited(await ask('{ __typename }'), 1);
  });

  test('leave health checks and requests with a key alone', async () => {
    for (let i = 0; i < 11; i++) {
      await limited.api.ask('GET //', without('192.0.2.3'));
    }
    expectLimited(await limited.api.ask('GET //', without('192.0.2.3')), 1);
    for (const line of ['GET //health/live', 'GET //health/ready']) {
      expect((await limited.api.ask(line, without('192.0.2.3'))).status).toBe(200);
    }
    expect((await limited.api.ask('GET /webhooks', from('192.0.2.3'))).status).toBe(200);
  });
});

describe('a body at /graphql', () => {
  const limited = new LimitedApi({ KEY_FAILURES_RATE_MAX: '1' });

  test('without a key has at most 64 KiB, and says so beforehand', async () => {
    const query = '{ __schema { queryType { name } } }';
    const text = JSON.stringify({ query });
    const json = { 'content-type': 'application/json' };
    const ask = (payload: string | Readable, headers = {}) =>
      limited.api.ask('POST //graphql', { key: null, headers: { ...json, ...headers }, payload });
    const longest = text + ' '.repeat(SHORT_BODY_BYTES_MAX - text.length);
    expect((await ask(longest)).status).toBe(200);
    const chunked = { 'transfer-encoding': 'chunked' };
    for (const answer of [await ask(`${longest} `), await ask(Readable.from([text]), chunked)]) {
      expect(answer.status).toBe(401);
      expect(answer.body.errors[0].extensions.code).toBe('UNAUTHENTICATED');
    }
    expect((await limited.graphql(query)).status).toBe(200);
  });

  test('of a stranger with a bad key is refused before it is read, until nobody even looks at the key', async () => {
    const address = await limited.api.server.listen({ host: '127.0.0.1', port: 0 });
    const body = `{"query": "${' '.repeat(4_000_000)}"`; // and no JSON either
    const post = () =>
      fetch(`${address}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${wrongKey()}`, 'content-type': 'application/json' },
        body,
      });
    for (let i = 0; i < 10; i++) {
      const answer = await post();
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      const { errors } = (await answer.json()) as { errors: { extensions: object }[] };
      expect(errors[0]?.extensions).toEqual({ code: 'UNAUTHENTICATED', reason: 'unauthenticated' });
    }
    const refused = await post();
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('1');
  });
});
