import { request as httpRequest } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorCatalogue } from '../../src/errors.js';
import { GRAPHQL_BODY_BYTES_MAX } from '../../src/http/graphql-endpoint.js';
import { buildServer } from '../../src/server.js';
import { expectProblem, RestApi } from '../support/rest-api.js';

let api: RestApi;
beforeAll(async () => {
  api = await RestApi.open({ CORS_ORIGINS: 'https://app.example.com' });
});
afterAll(() => api[Symbol.asyncDispose]());

const json = { 'content-type': 'application/json' };
const graphql = (payload: string | Buffer | object, headers: Record<string, string> = json) =>
  api.ask('POST //graphql', { headers, payload: payload as string });

describe('the address itself', () => {
  test('names where things are', async () => {
    const { status, body } = await api.ask('GET //', { key: null });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: 'Hookwright',
      graphql: '/graphql',
      graphiql: '/graphiql',
      rest: '/api/v1/webhooks',
      openapi: '/api/v1/openapi.json',
    });
  });

  test('health needs no key', async () => {
    expect((await api.ask('GET //health/live', { key: null })).body).toEqual({ status: 'live' });
    expect((await api.ask('GET //health/ready', { key: null })).body).toEqual({ status: 'ready' });
  });

  test.each(Object.entries(errorCatalogue))(
    'the type of the problem %s leads to an explanation',
    async (code, { title }) => {
      const { status, text } = await api.ask(`GET //problems/${code.replaceAll('_', '-')}`, { key: null });
      expect(status).toBe(200);
      expect(text).toContain(title);
      expect(text).toContain(`code: ${code}`);
    },
  );
});

describe('/graphql', () => {
  test('answers', async () => {
    const { status, body } = await graphql({ query: '{ viewer { tenant { id } } }' });
    expect(status).toBe(200);
    expect(body).toEqual({ data: { viewer: { tenant: { id: String(api.tenant.id) } } } });
  });

  test('the tenant header and the request id reach the resolvers', async () => {
    const headers = { ...json, 'hookwright-tenant': '999999', 'x-request-id': 'mine' };
    const answer = await graphql({ query: '{ viewer { scopes } }' }, headers);
    expect(answer.body.errors[0].extensions.code).toBe('FORBIDDEN');
    expect(answer.headers['x-request-id']).toBe('mine');
  });

  test.each([
    ['malformed JSON', '{', json, 'malformed_json'],
    ['an empty body', '', json, 'malformed_json'],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]), json, 'malformed_json'],
    [
      'another type',
      'query { viewer { scopes } }',
      { 'content-type': 'application/graphql' },
      'unsupported_media_type',
    ],
    ['a form', 'query=x', { 'content-type': 'application/x-www-form-urlencoded' }, 'unsupported_media_type'],
    ['a body above 4 MiB', 'x'.repeat(GRAPHQL_BODY_BYTES_MAX + 1), json, 'payload_too_large'],
  ] as const)('%s is refused in the form of a GraphQL error', async (_name, payload, headers, reason) => {
    const { status, body } = await graphql(payload, headers);
    expect(status).toBe(errorCatalogue[reason].status);
    expect(body).toEqual({
      errors: [{ message: expect.any(String), extensions: { code: errorCatalogue[reason].code, reason } }],
    });
  });

  test('a body of 4 MiB is read', async () => {
    const query = '{ viewer { scopes } }';
    const text = JSON.stringify({ query, extensions: {} });
    expect((await graphql(text + ' '.repeat(GRAPHQL_BODY_BYTES_MAX - text.length))).status).toBe(200);
  });

  test('a body nested as deep as fits is refused and nothing worse', async () => {
    const half = GRAPHQL_BODY_BYTES_MAX / 2 - 200;
    const query =
      'mutation ($payload: JSONObject!) { emitEvent(input: {event: \\"coupon.applied\\", payload: $payload}) { duplicate } }';
    const payload = `{"query": "${query}", "variables": {"payload": {"code": ${'['.repeat(half)}${']'.repeat(half)}}}}`;
    const { status, body } = await graphql(payload);
    expect([200, 400]).toContain(status);
    expect(body.errors[0].extensions.code).toBe('BAD_USER_INPUT');
  });

  test.each(['[]', '5', '"x"', 'null', '{}', '{"query": 5}', '[{"query": "{ viewer { scopes } }"}]'])(
    'the body %s is 400',
    async (payload) => {
      const { status, body } = await graphql(payload);
      expect(status).toBe(400);
      expect(body.errors[0].extensions.code).not.toBe('INTERNAL_SERVER_ERROR');
    },
  );

  test('__proto__ in a payload is a name like any other, which the schema of the event judges', async () => {
    const query =
      'mutation ($payload: JSONObject!) { emitEvent(input: {event: \\"coupon.applied\\", payload: $payload}) { duplicate } }';
    const payload = `{"query": "${query}", "variables": {"payload": {"code": "A", "discount_type": "B", "__proto__": 1}}}`;
    const { body } = await graphql(payload);
    expect(body.errors[0].extensions).toMatchObject({ code: 'BAD_USER_INPUT', reason: 'invalid_input' });
  });

  test('a key that is missing, empty or only announced may ask for the schema, and nothing else', async () => {
    for (const authorization of [undefined, '', 'Bearer ', 'Bearer']) {
      const headers = { ...json, ...(authorization === undefined ? {} : { authorization }) };
      const ask = (query: string) =>
        api.ask('POST //graphql', { key: null, headers, payload: JSON.stringify({ query }) });
      expect((await ask('{ __typename __schema { queryType { name } } }')).status).toBe(200);
      expect((await ask('{ viewer { scopes } }')).status).toBe(401);
    }
    const bad = await graphql(
      { query: '{ __typename }' },
      { ...json, authorization: 'Bearer hw_1_nonsense' },
    );
    expect(bad.status).toBe(401);
    expect(bad.headers['www-authenticate']).toBe('Bearer');
  });

  test('a Host header that is none does not break it', async () => {
    const { status } = await graphql({ query: '{ viewer { scopes } }' }, { ...json, host: '[' });
    expect(status).toBe(404);
  });
});

describe('/graphiql', () => {
  test('is a page that loads nothing from anywhere, and that could not', async () => {
    const { status, text, headers } = await api.ask('GET //graphiql', { key: null });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    const markup = text.replace(/<script>[\s\S]*?<\/script>/g, '').replace(/<style>[\s\S]*?<\/style>/g, '');
    expect(markup).not.toMatch(/<script[^>]+src|<link[^>]+href="(?!data:)|https?:/);
    const styles = [...text.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, css]) => css).join('');
    expect(styles.length).toBeGreaterThan(10_000);
    expect(styles).not.toMatch(/@import|url\(\s*["']?(?!data:|["'])/);
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).not.toMatch(/https?:|\*/);
  });

  test('asks /graphql, has a header for the key, and keeps no key in the browser', async () => {
    const { text } = await api.ask('GET //graphiql', { key: null });
    expect(text).toContain('"endpoint":"/graphql"');
    expect(text).toContain('"isHeadersEditorEnabled":true');
    expect(text).toContain('"shouldPersistHeaders":false');
    expect(text).toMatch(/"headers":"\{[^}]*Authorization[^}]*Bearer/);
  });

  test('comes gzipped to those who can read it, and once', async () => {
    const first = await api.server.inject({ url: '/graphiql', headers: { 'accept-encoding': 'gzip, br' } });
    expect(first.headers['content-encoding']).toBe('gzip');
    expect(first.rawPayload.length).toBeLessThan(4_000_000);
    const again = await api.server.inject({
      url: '/graphiql',
      headers: { 'if-none-match': String(first.headers['etag']) },
    });
    expect(again.statusCode).toBe(304);
  });

  test('GRAPHIQL=false turns it off', async () => {
    await using closed = await RestApi.open({ GRAPHIQL: 'false' });
    expectProblem(await closed.ask('GET //graphiql'), 'not_found');
    expect((await closed.ask('GET //')).body).not.toHaveProperty('graphiql');
  });
});

describe('request ids', () => {
  test.each(['abc', 'a-b_c.d:e/f+g=h@i', 'x'.repeat(128)])('%s is taken over', async (id) => {
    expect(
      (await api.ask('GET /webhooks', { headers: { 'x-request-id': id } })).headers['x-request-id'],
    ).toBe(id);
  });

  test.each(['', 'two words', 'ü', 'x'.repeat(129), '<script>', '"'])(
    '%s is replaced by a new one',
    async (id) => {
      const { headers } = await api.ask('GET /webhooks', { headers: { 'x-request-id': id } });
      expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    },
  );

  test('errors have one too', async () => {
    expect((await api.ask('GET /nothing')).headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect((await api.ask('GET /webhooks', { key: null })).headers['x-request-id']).toMatch(
      /^[0-9a-f-]{36}$/,
    );
  });
});

describe('CORS', () => {
  const origin = 'https://app.example.com';

  test('a preflight from an allowed origin passes, for REST and GraphQL', async () => {
    for (const path of ['/webhooks/1', '//graphql']) {
      const { status, headers } = await api.ask(`OPTIONS ${path}`, {
        key: null,
        headers: {
          origin,
          'access-control-request-method': 'PATCH',
          'access-control-request-headers': 'authorization',
        },
      });
      expect(status).toBe(204);
      expect(headers).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-headers': 'authorization',
      });
      expect(headers['access-control-allow-methods']).toContain('PATCH');
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    }
  });

  test('answers may be read by an allowed origin, errors included', async () => {
    for (const line of ['GET /webhooks', 'GET /webhooks/999', 'GET /nothing']) {
      const { headers } = await api.ask(line, { headers: { origin } });
      expect(headers).toMatchObject({ 'access-control-allow-origin': origin });
    }
  });

  test('other origins get no leave', async () => {
    const { headers } = await api.ask('GET /webhooks', { headers: { origin: 'https://evil.example.com' } });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });

  test('without CORS_ORIGINS there is none at all', async () => {
    await using closed = await RestApi.open();
    const { headers } = await closed.ask('GET /webhooks', { headers: { origin } });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    expect((await closed.ask('OPTIONS /webhooks', { headers: { origin } })).status).toBe(405);
  });
});

describe('the log', () => {
  test('has one line for a request, with its id, and neither key nor secret nor query', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
    const server = await buildServer({ ...api.services, log });
    const headers = { authorization: `Bearer ${api.tenant.key}`, 'x-request-id': 'id-1' };
    const payload = { url: 'https://example.com/', events: ['*'] };
    const created = await server.inject({ method: 'POST', url: '/api/v1/webhooks', headers, payload });
    await server.inject({ url: '/api/v1/webhooks?event=hunter2', headers });
    await server.inject({ url: '/api/v1/webhooks', headers: { authorization: 'Bearer hunter2' } });
    await server.close();
    const answered = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request answered');
    expect(answered.map(({ status }) => status)).toEqual([201, 422, 401]);
    expect(answered[0]).toMatchObject({ requestId: 'id-1', method: 'POST', path: '/api/v1/webhooks' });
    for (const secret of [api.tenant.key, created.json().data.secret, 'hunter2']) {
      expect(lines.join('')).not.toContain(secret);
    }
  });

  test('blanks a key that somebody logs by mistake', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
    const server = await buildServer({ ...api.services, log });
    server.log.info(
      { req: { headers: { authorization: 'Bearer hunter2' } }, authorization: 'hunter2' },
      'oops',
    );
    await server.close();
    expect(lines.join('')).toContain('oops');
    expect(lines.join('')).not.toContain('hunter2');
  });
});

describe('over a socket', () => {
  let port: number;
  beforeAll(async () => {
    await api.server.listen({ host: '127.0.0.1', port: 0 });
    port = (api.server.server.address() as AddressInfo).port;
  });

  function raw(text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(text));
      let answer = '';
      socket.setEncoding('utf8').on('data', (chunk) => {
        answer += chunk;
      });
      socket.on('close', () => resolve(answer)).on('error', reject);
    });
  }

  test('requests have a time limit', () => {
    expect(api.server.server.requestTimeout).toBe(30_000);
    expect(api.server.server.headersTimeout).toBe(15_000);
    expect(api.server.server.timeout).toBe(60_000);
  });

  test.each([
    ['what is no HTTP', 'nonsense\r\n\r\n', 400],
    ['headers without end', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ])('%s is answered with a problem', async (_name, text, status) => {
    const answer = await raw(text);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toContain('Content-Type: application/problem+json');
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({ type: 'about:blank', status });
  });

  test('an ignored body does not disturb the next request on the connection', async () => {
    const key = `Authorization: Bearer ${api.tenant.key}\r\n`;
    const body = 'x'.repeat(100_000);
    const answer = await raw(
      `POST /api/v1/webhooks/999/test HTTP/1.1\r\nHost: a\r\n${key}Content-Type: a/b\r\nContent-Length: ${body.length}\r\n\r\n${body}` +
        `GET /api/v1/webhooks HTTP/1.1\r\nHost: a\r\n${key}Connection: close\r\n\r\n`,
    );
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 404', 'HTTP/1.1 200']);
  });

  test('the refusal of a body that is too long arrives, also when its length was not announced', async () => {
    const status = await new Promise((resolve, reject) => {
      const headers = { ...json, authorization: `Bearer ${api.tenant.key}`, 'transfer-encoding': 'chunked' };
      const request = httpRequest({
        port,
        host: '127.0.0.1',
        method: 'POST',
        path: '/api/v1/webhooks',
        headers,
      });
      request.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject);
      request.write('x'.repeat(65_537));
    });
    expect(status).toBe(413);
  });
});
