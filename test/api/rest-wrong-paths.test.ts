import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem, expectRefusedAt, RestApi } from '../support/rest-api.js';

const valid = { url: 'https://example.com/hooks', events: ['booking.created'] };
const json = { 'content-type': 'application/json' };

let api: RestApi;
let id: number;
beforeAll(async () => {
  api = await RestApi.open();
  ({ id } = await api.webhook(valid));
});
afterAll(() => api[Symbol.asyncDispose]());

const withId = (line: string) => line.replace(':id', String(id));

describe('ids', () => {
  const bad = [
    '0',
    '-1',
    '1.0',
    '1.5',
    '01',
    '+1',
    '1e3',
    '0x1',
    'abc',
    '%20',
    'null',
    'NaN',
    '9007199254740992',
    '99999999999999999999',
    '%00',
    '%F0%9F%98%80',
    "1'%20or%201=1",
    '9'.repeat(100),
    '9'.repeat(5000),
    '..%2f1',
    'wh_1',
    'dl_1',
    '999999',
  ];
  test.each(bad)('%s is 404 on every route', async (text) => {
    expectProblem(await api.ask(`GET /webhooks/${text}`), 'not_found');
    expectProblem(await api.ask(`PATCH /webhooks/${text}`, { json: { active: true } }), 'not_found');
    expectProblem(await api.ask(`DELETE /webhooks/${text}`), 'not_found');
    expectProblem(await api.ask(`POST /webhooks/${text}/test`), 'not_found');
  });

  test('are numbers in answers too, unlike in GraphQL', async () => {
    const { body } = await api.ask('GET /webhooks/999999');
    expect(body.detail).toBe('There is no webhook 999999.');
    expect((await api.ask(`GET /webhooks/${id}`)).body.data.id).toBe(id);
  });

  test.each(['%zz', '%ff', '%', '1%', '1'.repeat(101)])('%s is 401 without a key', async (text) => {
    expectProblem(await api.ask(`GET /webhooks/${text}`, { key: null }), 'unauthenticated');
    expectProblem(await api.ask(`POST /webhooks/${text}/test`, { key: null }), 'unauthenticated');
    expectProblem(await api.ask(`GET /webhooks/${text}`), 'not_found');
    expectProblem(await api.ask(`PUT /webhooks/${text}`), 'method_not_allowed');
  });
});

describe('routes without a body ignore content type and body', () => {
  const ignored: [string, object][] = [
    ['malformed JSON', { headers: json, payload: '{' }],
    ['an unknown type', { headers: { 'content-type': 'text/weird' }, payload: 'x' }],
    ['a malformed type', { headers: { 'content-type': ';;;' }, payload: 'x' }],
    ['an empty JSON body', { headers: json, payload: '' }],
    ['a body without a type', { payload: Buffer.from('x') }],
    ['a huge body', { headers: json, payload: 'x'.repeat(1_000_000) }],
  ];
  test.each(ignored)('%s', async (_name, request) => {
    expect((await api.ask(`POST /webhooks/${id}/test`, request)).status).toBe(202);
    expect((await api.ask(`GET /webhooks/${id}`, request)).status).toBe(200);
    expect((await api.ask('GET /webhooks', request)).status).toBe(200);
    const other = await api.webhook(valid);
    expect((await api.ask(`DELETE /webhooks/${other.id}`, request)).status).toBe(204);
  });

  test.each(['GET /webhooks/:id', 'DELETE /webhooks/:id', 'POST /webhooks/:id/test'])(
    '%s refuses query parameters',
    async (line) => {
      expectRefusedAt(await api.ask(`${withId(line)}?force=1`), '?force');
    },
  );
});

describe('methods and paths', () => {
  test.each([
    ['PUT /webhooks', 'GET, POST'],
    ['DELETE /webhooks', 'GET, POST'],
    ['PATCH /webhooks', 'GET, POST'],
    ['POST /webhooks/1', 'PATCH, GET, DELETE'],
    ['PUT /webhooks/1', 'PATCH, GET, DELETE'],
    ['GET /webhooks/1/test', 'POST'],
    ['DELETE /webhooks/1/test', 'POST'],
    ['OPTIONS /webhooks', 'GET, POST'],
    ['TRACE /webhooks', 'GET, POST'],
    ['PROPFIND /webhooks', 'GET, POST'],
    ['POST /openapi.json', 'GET'],
    ['POST //health/live', 'GET'],
    ['DELETE //', 'GET'],
    ['PUT //graphql', 'GET, POST'],
  ])('%s is 405 with Allow', async (line, allowed) => {
    const answer = await api.ask(line, {
      key: null,
      headers: { 'content-type': 'text/weird' },
      payload: '{',
    });
    expectProblem(answer, 'method_not_allowed');
    const names = (text: unknown) =>
      String(text)
        .split(', ')
        .filter((name) => name !== 'HEAD')
        .sort();
    expect(names(answer.headers['allow'])).toEqual(names(allowed));
  });

  test.each([
    'GET /',
    'GET /openapi-json',
    'GET /webhook',
    'GET /webhooks/',
    'GET /webhooks/1/',
    'GET /webhooks/1/test/2',
    'POST /webhooks/1/tests',
    'GET /Webhooks',
    'GET //api',
    'GET //api/v2/webhooks',
    'GET //nothing',
    'POST //nothing',
    'GET //webhooks',
    'GET //.env',
    'GET //problems/nothing',
  ])('%s is 404', async (line) => {
    expectProblem(await api.ask(line), 'not_found');
  });

  test.each(['GET /webhooks/', 'DELETE /webhooks/?a=b', 'POST /webhooks/', 'GET /webhooks/1/', 'POST //graphql/'])(
    '%s says that it has a slash too many',
    async (line) => {
      const answer = await api.ask(line);
      expectProblem(answer, 'not_found');
      expect(answer.body['detail']).toBe('There is nothing at this path; without the slash at its end there is.');
    },
  );

  test('what begins where nothing does is told where REST and GraphQL are', async () => {
    expect((await api.ask('GET //webhooks')).body['detail']).toBe(
      'There is nothing at this path. REST begins with /api/v1 and is described at /api/v1/openapi.json; GraphQL is at /graphql.',
    );
  });

  test('an id of hundreds of digits is 404, and not repeated', async () => {
    const answer = await api.ask(`GET /webhooks/${'1'.repeat(300)}`);
    expectProblem(answer, 'not_found');
    expect(answer.body['detail']).toBe('There is no webhook with such an id.');
  });

  test.each(['GET //%zz', 'POST //%ff', 'GET /webhooks%', 'GET //problems/%e4', 'GET //%zz?a=%zz'])(
    '%s, which no router can read, is 404 as any other',
    async (line) => {
      const answer = await api.ask(line, { key: null, headers: { 'x-request-id': 'mine' } });
      expectProblem(answer, 'not_found');
      expect(answer.headers).toMatchObject({ 'x-request-id': 'mine', 'x-content-type-options': 'nosniff' });
    },
  );

  test('an unknown path is 404 whatever the body is', async () => {
    expectProblem(await api.ask('POST /nothing', { headers: json, payload: '{' }), 'not_found');
    expectProblem(await api.ask('POST /nothing', { headers: { 'content-type': 'a/b' }, payload: 'x' }), 'not_found');
    expectProblem(await api.ask('POST /nothing', { headers: json, payload: 'x'.repeat(200_000) }), 'not_found');
  });
});
