import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildServer } from '../../src/api/server.js';
import { errorCatalogue } from '../../src/errors.js';
import { eventually } from '../support/eventually.js';
import { serve } from '../support/loopback.js';
import { expectProblem, RestApi, type RestRequest } from '../support/rest-api.js';

const api = await RestApi.open({ CORS_ORIGINS: 'https://app.example.com' });
afterAll(() => api[Symbol.asyncDispose]());

const json = { 'content-type': 'application/json' };

describe('the address itself', () => {
  test('names where things are', async () => {
    const { status, body } = await api.ask('GET //', { key: null });
    expect({ status, ...body }).toMatchObject({
      status: 200,
      name: 'Hookwright',
      graphql: '/graphql',
      graphiql: '/graphiql',
      rest: '/api/v1/webhooks',
      openapi: '/api/v1/openapi.json',
    });
  });

  test('the addresses that deliveries come from need no key, and are there once they are named', async () => {
    const line = 'GET //.well-known/webhook-addresses.json';
    expectProblem(await api.ask(line, { key: null }), 'not_found');
    await using named = await RestApi.open({ EGRESS_ADDRESSES: '203.0.113.0/28, 2001:db8::7' });
    const addresses = ['203.0.113.0/28', '2001:db8::7'];
    expect((await named.ask(line, { key: null })).body).toEqual({ addresses });
    const json = { query: '{ viewer { egressAddresses } }' };
    expect((await named.ask('POST //graphql', { json })).body.data.viewer).toEqual({ egressAddresses: addresses });
  });

  test.each(['', '/hooks'])('below the path of PUBLIC_URL: requests that begin with %j are taken', async (path) => {
    await using below = await RestApi.open({ PUBLIC_URL: 'https://example.com/hooks' });
    const ask = (line: string, request: RestRequest = {}) => below.ask(line.replace(' ', ` /${path}`), request);
    const made = await ask('POST /api/v1/webhooks', { json: { url: 'https://example.com/', events: ['*'] } });
    expect(made.headers['location']).toBe(`/hooks/api/v1/webhooks/${made.body.data.id}`);
    expect((await ask(`GET ${'/api/v1/webhooks'}?limit=1`)).body.data).toHaveLength(1);
    expect((await ask('GET /api/v1/openapi.json')).body.servers[0].url).toBe('https://example.com/hooks/api/v1');
    expect((await ask('GET /', { key: null })).body).toMatchObject({
      graphql: '/hooks/graphql',
      console: '/hooks/console',
    });
    const visit = { key: null, headers: { accept: 'text/html' } };
    expect((await ask('GET /', visit)).headers['location']).toBe('/hooks/console');
    expect((await ask('GET /graphql', visit)).headers['location']).toBe('/hooks/graphiql');
    expectProblem(await ask('GET /hooked/api/v1/webhooks'), 'not_found');
  });

  test('health needs no key', async () => {
    expect((await api.ask('GET //health/live', { key: null })).body).toEqual({ status: 'live' });
    expect((await api.ask('GET //health/ready', { key: null })).body).toEqual({ status: 'ready' });
  });

  test('readiness that many ask for at once is one question to the database', async () => {
    const asking = `select count(*)::integer as waiting from pg_stat_activity
                    where datname = current_database() and wait_event_type = 'Lock'`;
    const waiting = async () => (await api.owner.query<{ waiting: number }>(asking)).rows[0]!.waiting;
    const lock = await api.owner.connect();
    await lock.query('begin; lock table hookwright.migrations in access exclusive mode');
    const answers = Array.from({ length: 20 }, () => api.ask('GET //health/ready', { key: null }));
    try {
      await eventually(async () => (await waiting()) > 0);
      expect(await waiting()).toBe(1);
    } finally {
      await lock.query('commit');
      lock.release();
    }
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect((await api.ask('GET //health/ready', { key: null })).status).toBe(200);
  });

  test('all kinds of problems are listed', async () => {
    const { status, text } = await api.ask('GET //problems', { key: null });
    expect(status).toBe(200);
    expect(text.match(/^\/problems\/.*$/gm)).toHaveLength(Object.keys(errorCatalogue).length);
    expect(text).toContain('/problems/not-found\n  404 Not found\n');
    expectProblem(await api.ask('GET //problems/nothing'), 'not_found');
  });

  test.each(Object.entries(errorCatalogue))(
    'the type of the problem %s leads to an explanation',
    async (code, { title }) => {
      const { text } = await api.ask(`GET //problems/${code.replaceAll('_', '-')}`, { key: null });
      expect(text).toMatch(new RegExp(`^${title}\n\ncode: ${code}\n`));
    },
  );
});

describe('request ids', () => {
  test.each(['abc', 'a-b_c.d:e/f+g=h@i', 'x'.repeat(128)])('%s is taken over', async (id) => {
    expect((await api.ask('GET /webhooks', { headers: { 'x-request-id': id } })).headers['x-request-id']).toBe(id);
  });

  test('errors have one too', async () => {
    expect((await api.ask('GET /nothing')).headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect((await api.ask('GET /webhooks', { key: null })).headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('CORS', () => {
  const origin = 'https://app.example.com';

  test('a preflight from an allowed origin passes, for REST and GraphQL', async () => {
    for (const path of ['/webhooks/1', '//graphql']) {
      const asked = { 'access-control-request-method': 'PATCH', 'access-control-request-headers': 'authorization' };
      const { status, headers } = await api.ask(`OPTIONS ${path}`, { key: null, headers: { origin, ...asked } });
      expect(status).toBe(204);
      expect(headers).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-headers': 'authorization',
        'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
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
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    expect(headers['vary']).toBe('Origin');
  });

  test.each([{ origin: 'https://evil.example.com' }, { origin: 'null' }, {}])(
    'a preflight of another origin, or of none, is not a request that is served: %j',
    async (from) => {
      const preflight = {
        key: null,
        headers: { ...from, 'access-control-request-method': 'PATCH', 'content-type': 'text/weird' },
        payload: '{',
      };
      for (const [path, allowed] of [
        ['/webhooks/1', 'PATCH'],
        ['//graphql', 'POST'],
      ] as const) {
        const answer = await api.ask(`OPTIONS ${path}`, preflight);
        expectProblem(answer, 'method_not_allowed');
        expect(answer.headers['allow']).toContain(allowed);
        expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
      }
      expectProblem(await api.ask('OPTIONS /nothing', preflight), 'not_found');
    },
  );

  test('without CORS_ORIGINS there is none at all', async () => {
    await using closed = await RestApi.open();
    const { headers } = await closed.ask('GET /webhooks', { headers: { origin } });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    expect((await closed.ask('OPTIONS /webhooks', { headers: { origin } })).status).toBe(405);
  });
});

describe('the log', () => {
  async function logging() {
    const lines: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
    return { lines, server: await buildServer({ ...api.services, log }) };
  }

  test('has one line for a request, with its id, and neither key nor secret nor query', async () => {
    const { lines, server } = await logging();
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
    const { lines, server } = await logging();
    server.log.info({ req: { headers: { authorization: 'Bearer hunter2' } }, authorization: 'hunter2' }, 'oops');
    await server.close();
    expect(lines.join('')).toContain('oops');
    expect(lines.join('')).not.toContain('hunter2');
  });
});

describe('over a socket', () => {
  let port: number;
  beforeAll(async () => {
    port = await serve(api.server);
  });

  /** Sends a text, and reads until the connection ends. */
  async function raw(request: string) {
    const socket = connect(port, '127.0.0.1');
    socket.write(request);
    const answer = await text(socket);
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    return { answer, status: Number(head.split(' ')[1]), head: head.toLowerCase(), body };
  }
  /** The head of a request without its end. */
  const headOf = (line: string, ...headers: string[]) => `${[line, ...headers].join('\r\n')}\r\n`;
  const list = 'GET /api/v1/webhooks HTTP/1.1';

  test.each([
    ['an unknown method', headOf('FOO /api/v1/webhooks HTTP/1.1', 'Host: a'), 400, 'method_unknown'],
    ['a line that is not HTTP', headOf('GET nonsense'), 400, 'malformed_request'],
    ['headers without end', headOf('GET / HTTP/1.1', 'Host: a', `X: ${'x'.repeat(20_000)}`), 431, 'headers_too_large'],
  ])('%s is answered with a problem', async (_name, request, status, code) => {
    const answer = await raw(`${request}\r\n`);
    expect(answer.status).toBe(status);
    expect(answer.head).toContain('content-type: application/problem+json');
    const [title, detail] = [expect.stringMatching(/./), expect.stringMatching(/\.$/)];
    expect(JSON.parse(answer.body)).toEqual({ type: 'about:blank', title, status, detail, code });
  });

  test.each([
    ['Host', headOf(list, 'Host: a', 'host: b')],
    ['Host by HTTP/1.0', headOf('GET /health/live HTTP/1.0', 'Host: a', 'Host: a')],
    ['Authorization', headOf(list, 'Host: a', 'Authorization: Bearer a', 'AUTHORIZATION: Bearer b')],
    [
      'Content-Type',
      headOf('POST /api/v1/webhooks HTTP/1.1', 'Host: a', 'Content-Type: application/json', 'Content-Type: text/plain'),
    ],
    ['Idempotency-Key', headOf(list, 'Host: a', 'Idempotency-Key: a', 'Idempotency-Key: b')],
    ['Hookwright-Tenant', headOf(list, 'Host: a', 'Hookwright-Tenant: 1', 'Hookwright-Tenant: 1')],
  ])('a request with a second %s is answered with a problem, and the connection ends', async (_name, request) => {
    const { status, head, body } = await raw(`${request}X-Request-Id: mine\r\n\r\n`);
    expect(status).toBe(400);
    expect(head).toMatch(/^x-request-id: mine\r$/m);
    expect(head).toMatch(/^content-type: application\/problem\+json\r$/m);
    expect(JSON.parse(body)).toMatchObject({ status: 400, code: 'header_repeated' });
  });

  test.each([
    ['Host', 'Host: b'],
    ['Authorization', 'Authorization: Bearer a', 'Authorization: Bearer b'],
  ])('a GraphQL request with a second %s is refused as well, and names the header', async (name, ...headers) => {
    const head = headOf('POST /graphql HTTP/1.1', 'Host: a', ...headers, 'Content-Length: 2');
    const { status, body } = await raw(`${head}\r\n{}`);
    expect(status).toBe(400);
    expect(JSON.parse(body).errors).toMatchObject([
      {
        message: expect.stringContaining(`the header ${name} more than once`),
        extensions: { code: 'BAD_USER_INPUT', reason: 'header_repeated' },
      },
    ]);
  });

  test.each([
    ['HTTP/1.0 without Host', headOf('GET /health/live HTTP/1.0'), 200],
    ['HTTP/1.0 with an expectation', headOf('GET /health/live HTTP/1.0', 'Expect: foo'), 200],
    ['an empty Host', headOf('GET /health/live HTTP/1.1', 'Host:', 'Connection: close'), 200],
    ['100-continue', headOf('GET /health/live HTTP/1.1', 'Host: a', 'Expect: 100-continue', 'Connection: close'), 100],
  ])('%s is no reason to refuse', async (_name, request, status) => {
    expect((await raw(`${request}\r\n`)).status).toBe(status);
  });

  test('an ignored body does not disturb the next request on the connection', async () => {
    const usual = ['Host: a', `Authorization: Bearer ${api.tenant.key}`];
    const body = 'x'.repeat(100_000);
    const sent = ['Content-Type: a/b', `Content-Length: ${body.length}`];
    const first = `${headOf('POST /api/v1/webhooks/999/test HTTP/1.1', ...usual, ...sent)}\r\n${body}`;
    const { answer } = await raw(`${first}${headOf(list, ...usual, 'Connection: close')}\r\n`);
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 404', 'HTTP/1.1 200']);
  });

  test.each([
    ['a list', list, ''],
    ['a change', 'PATCH /api/v1/webhooks/999 HTTP/1.1', '{"active":true}'],
    ['GraphQL', 'POST /graphql HTTP/1.1', '{"query":"{ viewer { __typename } }"}'],
    ['readiness', 'GET /health/ready HTTP/1.1', ''],
  ])('a client that closes its sending half gets its answer, and the connection ends: %s', async (_, line, body) => {
    const usual = ['Host: a', `Authorization: Bearer ${api.tenant.key}`, 'Content-Type: application/json'];
    const request = `${headOf(line, ...usual, `Content-Length: ${body.length}`)}\r\n${body}`;
    for (const requests of [1, 2]) {
      const socket = connect(port, '127.0.0.1');
      socket.end(request.repeat(requests));
      const answer = await text(socket);
      expect(answer.match(/HTTP\/1\.1 (200|404)/g)).toHaveLength(requests);
    }
  });

  test('a client that closes its sending half within its request is told that it is not complete', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.end(headOf('GET /health/ready HTTP/1.1', 'Host: a'));
    expect(await text(socket)).toContain('"code":"malformed_request"');
  });

  test('the refusal of a body that is too long arrives, also when its length was not announced', async () => {
    const status = await new Promise((resolve, reject) => {
      const headers = { ...json, authorization: `Bearer ${api.tenant.key}`, 'transfer-encoding': 'chunked' };
      const request = httpRequest({ port, host: '127.0.0.1', method: 'POST', path: '/api/v1/webhooks', headers });
      request.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject);
      request.write('x'.repeat(65_537));
    });
    expect(status).toBe(413);
  });
});
