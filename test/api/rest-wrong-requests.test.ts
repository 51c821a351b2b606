import { afterAll, describe, expect, test } from 'vitest';
import { expectProblem, expectRefusedAt, RestApi, type RestRequest } from '../support/rest-api.js';

const REST_BODY_BYTES_MAX = 65_536;

const valid = { url: 'https://example.com/hooks', events: ['booking.created'] };
const json = { 'content-type': 'application/json' };

const api = await RestApi.open({ WEBHOOKS_PER_TENANT_MAX: '200' });
const { id } = await api.webhook(valid);
afterAll(() => api[Symbol.asyncDispose]());

const withId = (line: string) => line.replace(':id', String(id));

/** More bad requests, without the places that their problems name, are in test/security/bad-input-*.test.ts. */

/** The routes that read a body, with a body that they accept. */
const routesWithBody: [string, object][] = [
  ['POST /webhooks', valid],
  ['PATCH /webhooks/:id', { active: true }],
];

describe.each(routesWithBody)('the body of %s', (line, accepted) => {
  const ask = (request: RestRequest) => api.ask(withId(line), request);
  const text = JSON.stringify(accepted);

  test.each<RestRequest>([{}, ...['{', '', ' '].map((payload) => ({ headers: json, payload }))])(
    '%j is 400: malformed JSON',
    async (request) => {
      expectProblem(await ask(request), 'malformed_json');
    },
  );

  test.each([
    ...['text/plain', 'application/jsonx', 'application/json-patch+json', 'application/vnd.api+json', ';;;'],
    undefined,
  ])('the content type %s is 415', async (type) => {
    const headers = type === undefined ? {} : { 'content-type': type };
    expectProblem(await ask({ headers, payload: Buffer.from(text) }), 'unsupported_media_type');
  });

  test.each(['gzip', 'br', 'deflate, gzip'])('a body with the content encoding %s is 415', async (coding) => {
    const answer = await ask({ headers: { ...json, 'content-encoding': coding }, payload: text });
    expectProblem(answer, 'unsupported_media_type');
  });

  test.each([{ ...json, 'content-encoding': 'Identity' }, { 'content-type': 'Application/JSON; charset=utf-8' }])(
    '%j is accepted',
    async (headers) => {
      expect((await ask({ headers, payload: text })).status).toBeLessThan(300);
    },
  );

  test.each(['application/merge-patch+json', 'Application/Merge-Patch+JSON; charset="utf-8"'])(
    'a change may be sent as %s',
    async (type) => {
      const answer = await ask({ headers: { 'content-type': type }, payload: text });
      if (line.startsWith('PATCH')) {
        expect(answer.status).toBe(200);
      } else {
        expectProblem(answer, 'unsupported_media_type');
      }
    },
  );

  test.each(['null', '[]', '"x"', '5', 'true'])('%s instead of an object is 422', async (payload) => {
    expectRefusedAt(await ask({ headers: json, payload }), '');
  });

  test.each(['secrets', 'Active', '__proto__', 'constructor', 'a/b~c', ''])(
    'an unknown property %j is refused',
    async (name) => {
      const answer = await ask({ json: { ...accepted, [name]: 1 } });
      expectRefusedAt(answer, `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
      expect(answer.body.errors[0]).toMatchObject({
        code: 'unknown_property',
        detail: expect.stringMatching(
          /^is not a property of this request, which may have (active, )?url, events(, secret, previous_secret, previous_secret_expires_at, external_id)?(, options)?$/,
        ),
      });
    },
  );

  test('a body of 64 KiB is read, one more byte is 413', async () => {
    const padded = (length: number) => ask({ headers: json, payload: text.padEnd(length) });
    expect((await padded(REST_BODY_BYTES_MAX)).status).toBeLessThan(300);
    const above = await padded(REST_BODY_BYTES_MAX + 1);
    expectProblem(above, 'payload_too_large');
    expect(above.body.detail).toContain(`${REST_BODY_BYTES_MAX} bytes`);
    expectProblem(await padded(5_000_000), 'payload_too_large');
  });

  test('query parameters are refused, before the body is read', async () => {
    for (const request of [
      { json: accepted },
      { headers: json, payload: '{' },
      { headers: { 'content-type': 'text/plain' }, payload: 'x' },
    ]) {
      expectRefusedAt(await api.ask(`${withId(line)}?dry_run=1`, request), '?dry_run');
    }
  });
});

describe.each([
  ['POST', 'POST /webhooks', valid],
  ['PATCH', 'PATCH /webhooks/:id', {}],
])('the values of a %s', (_method, line, rest) => {
  const at = (change: object) => api.ask(withId(line), { json: { ...rest, ...change } });

  test.each([5, null, ['https://example.com/'], {}, true])('url: %j is not a string', async (url) => {
    const answer = await at({ url });
    expectRefusedAt(answer, '/url');
    expect(answer.body.errors[0].code).toBe('invalid_type');
  });

  test.each([
    ...['', 'nonsense', 'http://example.com/', 'https://user:hunter2@example.com/', 'https://10.0.0.1/'],
    `https://example.com/${'a'.repeat(2048 - 'https://example.com/'.length + 1)}`,
  ])('url: %s is refused, and no password is repeated', async (url) => {
    const answer = await at({ url });
    expectRefusedAt(answer, '/url');
    expect(answer.text).not.toContain('hunter2');
  });

  test.each([
    'https://example.com/',
    'https://example.com:8443/hooks?x=1&y=%20',
    'https://sub.example.co.uk/ä',
    'https://93.184.216.34/',
    `https://example.com/${'a'.repeat(2048 - 'https://example.com/'.length)}`,
  ])('url: %s is accepted', async (url) => {
    const { status, body } = await at({ url });
    expect(status).toBeLessThan(300);
    expect(body.data.url).toBe(new URL(url).href);
  });

  const manyNames = Array.from({ length: 101 }, (_, n) => `a.b${n}`);

  test.each<[unknown, string]>([
    ...['booking.created', null, {}, [], manyNames].map((events): [unknown, string] => [events, '/events']),
    ...[5, ['*'], 'Booking.Created', ' booking.created', 'booking.*', '', 'booking.created\u0000'].map(
      (name): [unknown, string] => [[name], '/events/0'],
    ),
    [['booking.created', null], '/events/1'],
    [['booking.created', 'booking.moved'], '/events/1'],
    [['booking.created', '*'], '/events/1'],
    [['booking.created', 'coupon.applied', 'booking.created'], '/events/2'],
  ])('events: %j is refused at %s', async (events, pointer) => {
    expectRefusedAt(await at({ events }), pointer);
  });

  test('every broken rule is named, not only the first', async () => {
    expectRefusedAt(await at({ url: 'x', events: ['*', '*'] }), '/url', '/events/0', '/events/1');
    const names = manyNames.slice(1);
    expectRefusedAt(await at({ events: names }), ...names.map((_, n) => `/events/${n}`));
  });
});

describe('missing and empty', () => {
  test.each<[string, object, string, ...string[]]>([
    ['POST /webhooks', {}, 'required', '/url', '/events'],
    ['POST /webhooks', { url: valid.url }, 'required', '/events'],
    ['PATCH /webhooks/:id', {}, 'nothing_to_change', ''],
  ])('%s %j is refused: %s', async (line, body, code, ...pointers) => {
    const answer = await api.ask(withId(line), { json: body });
    expectRefusedAt(answer, ...pointers);
    expect(answer.body.errors).toEqual(pointers.map(() => expect.objectContaining({ code })));
  });

  test.each([null, 'true', 1, 0, [], {}])('active: %j is not a boolean', async (active) => {
    expectRefusedAt(await api.ask(`PATCH /webhooks/${id}`, { json: { active } }), '/active');
  });
});

describe('ids', () => {
  test.each(['0', 'abc', '1.0', 'wh_1', 'dl_1', '999999', '9'.repeat(5000)])(
    '%s is 404 on every route',
    async (text) => {
      const path = `/webhooks/${text}`;
      for (const line of [`GET ${path}`, `PATCH ${path}`, `DELETE ${path}`, `POST ${path}/test`]) {
        expectProblem(await api.ask(line, line.startsWith('PATCH') ? { json: { active: true } } : {}), 'not_found');
      }
    },
  );

  test('are numbers in answers too, unlike in GraphQL; one of hundreds of digits is not repeated', async () => {
    const detailOf = async (text: string) => (await api.ask(`GET /webhooks/${text}`)).body.detail;
    expect(await detailOf('999999')).toBe('There is no webhook 999999.');
    expect(await detailOf('1'.repeat(300))).toBe('There is no webhook with such an id.');
    expect((await api.ask(`GET /webhooks/${id}`)).body.data.id).toBe(id);
  });

  test.each(['%zz', '%ff', '%', '1%', '1'.repeat(101)])('%s is 401 without a key', async (text) => {
    expectProblem(await api.ask(`GET /webhooks/${text}`, { key: null }), 'unauthenticated');
    expectProblem(await api.ask(`POST /webhooks/${text}/test`, { key: null }), 'unauthenticated');
    expectProblem(await api.ask(`GET /webhooks/${text}`), 'not_found');
    expectProblem(await api.ask(`PUT /webhooks/${text}`), 'method_not_allowed');
  });
});

describe('routes without a body', () => {
  test.each<[string, RestRequest]>([
    ['malformed JSON', { headers: json, payload: '{' }],
    ['an unknown type', { headers: { 'content-type': 'text/weird' }, payload: 'x' }],
    ['a malformed type', { headers: { 'content-type': ';;;' }, payload: 'x' }],
    ['an empty JSON body', { headers: json, payload: '' }],
    ['a body without a type', { payload: Buffer.from('x') }],
    ['a huge body', { headers: json, payload: 'x'.repeat(1_000_000) }],
  ])('ignore %s', async (_name, request) => {
    expect((await api.ask(`POST /webhooks/${id}/test`, request)).status).toBe(202);
    expect((await api.ask(`GET /webhooks/${id}`, request)).status).toBe(200);
    expect((await api.ask('GET /webhooks', request)).status).toBe(200);
    const other = await api.webhook(valid);
    expect((await api.ask(`DELETE /webhooks/${other.id}`, request)).status).toBe(204);
  });
});

describe('methods and paths', () => {
  test.each([
    ...['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND'].map((method) => [`${method} /webhooks`, 'GET, POST']),
    ...['POST', 'PUT'].map((method) => [`${method} /webhooks/1`, 'DELETE, GET, PATCH']),
    ...['GET', 'DELETE'].map((method) => [`${method} /webhooks/1/test`, 'POST']),
    ...['POST /openapi.json', 'POST //health/live', 'DELETE //'].map((line) => [line, 'GET']),
    ['PUT //graphql', 'GET, POST'],
  ])('%s is 405 with Allow', async (line, allowed) => {
    const answer = await api.ask(line!, { key: null, headers: { 'content-type': 'text/weird' }, payload: '{' });
    expectProblem(answer, 'method_not_allowed');
    const methods = String(answer.headers['allow']).split(', ');
    expect(methods.filter((name) => name !== 'HEAD').sort()).toEqual(allowed!.split(', '));
  });

  test.each(['GET /webhooks/', 'DELETE /webhooks/?a=b', 'POST /webhooks/', 'GET /webhooks/1/', 'POST //graphql/'])(
    '%s says that it has a slash too many',
    async (line) => {
      const answer = await api.ask(line);
      expectProblem(answer, 'not_found');
      expect(answer.body['detail']).toBe('There is nothing at this path; without the slash at its end there is.');
    },
  );

  test('an unknown path says where REST and GraphQL are', async () => {
    expect((await api.ask('GET //webhooks')).body['detail']).toBe(
      'There is nothing at this path. REST begins with /api/v1 and is described at /api/v1/openapi.json; GraphQL is at /graphql.',
    );
  });

  test.each(['GET //%zz', 'POST //%ff', 'GET /webhooks%', 'GET //problems/%e4', 'GET //%zz?a=%zz'])(
    '%s, which no router can read, is 404 as any other',
    async (line) => {
      const answer = await api.ask(line, { key: null, headers: { 'x-request-id': 'mine' } });
      expectProblem(answer, 'not_found');
      expect(answer.headers).toMatchObject({ 'x-request-id': 'mine', 'x-content-type-options': 'nosniff' });
    },
  );

  test.each([
    { headers: json, payload: '{' },
    { headers: { 'content-type': 'a/b' }, payload: 'x' },
    { headers: json, payload: 'x'.repeat(200_000) },
  ])('an unknown path is 404 whatever the body is', async (request) => {
    expectProblem(await api.ask('POST /nothing', request), 'not_found');
  });
});
