import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { REST_BODY_BYTES_MAX } from '../../src/server.js';
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

/** The routes that read a body, with a body that they accept. */
const routesWithBody: [string, object][] = [
  ['POST /webhooks', valid],
  ['PATCH /webhooks/:id', { active: true }],
];
const withId = (line: string) => line.replace(':id', String(id));

describe.each(routesWithBody)('the body of %s', (line, accepted) => {
  test.each([
    ['an opening brace', '{'],
    ['a text without quotes', 'active=true'],
    ['single quotes', "{'active': true}"],
    ['a trailing comma', '{"active": true,}'],
    ['two values', '{}{}'],
    ['NaN', '{"active": NaN}'],
    ['an empty body', ''],
    ['blanks', '   '],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ])('%s is 400: malformed JSON', async (_name, payload) => {
    expectProblem(await api.ask(withId(line), { headers: json, payload }), 'malformed_json');
  });

  test('no body at all is 400', async () => {
    expectProblem(await api.ask(withId(line)), 'malformed_json');
  });

  test.each([
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    'application/vnd.api+json',
    ';;;',
    '*/*',
  ])('the content type %s is 415', async (type) => {
    const headers = { 'content-type': type };
    expectProblem(
      await api.ask(withId(line), { headers, payload: JSON.stringify(accepted) }),
      'unsupported_media_type',
    );
  });

  test('a body without a content type is 415', async () => {
    const payload = Buffer.from(JSON.stringify(accepted));
    expectProblem(await api.ask(withId(line), { payload }), 'unsupported_media_type');
  });

  test('application/json may have a charset', async () => {
    const headers = { 'content-type': 'Application/JSON; charset=utf-8' };
    expect((await api.ask(withId(line), { headers, payload: JSON.stringify(accepted) })).status).toBeLessThan(
      300,
    );
  });

  test.each([
    ['null', null],
    ['a list', []],
    ['a text', 'x'],
    ['a number', 5],
    ['true', true],
  ])('%s instead of an object is 422', async (_name, payload) => {
    expectRefusedAt(await api.ask(withId(line), { headers: json, payload: JSON.stringify(payload) }), '');
  });

  test.each(['secret', 'id', 'Active', 'held', 'constructor', 'a/b~c', ''])(
    'an unknown property %j is refused',
    async (name) => {
      const pointer = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      const answer = await api.ask(withId(line), { json: { ...accepted, [name]: 1 } });
      expectRefusedAt(answer, pointer);
      expect(answer.body.errors[0].code).toBe('unknown_property');
    },
  );

  test('__proto__ is an unknown property like any other', async () => {
    const payload = JSON.stringify(accepted).replace('{', '{"__proto__": {"active": true}, ');
    expectRefusedAt(await api.ask(withId(line), { headers: json, payload }), '/__proto__');
  });

  test('a body of 64 KiB is read, one more byte is 413', async () => {
    const padded = (length: number) => {
      const text = JSON.stringify(accepted);
      return text + ' '.repeat(length - text.length);
    };
    const atLimit = await api.ask(withId(line), { headers: json, payload: padded(REST_BODY_BYTES_MAX) });
    expect(atLimit.status).toBeLessThan(300);
    const above = await api.ask(withId(line), { headers: json, payload: padded(REST_BODY_BYTES_MAX + 1) });
    expectProblem(above, 'payload_too_large');
    const far = await api.ask(withId(line), { headers: json, payload: 'x'.repeat(5_000_000) });
    expectProblem(far, 'payload_too_large');
  });

  test('a body nested as deep as fits is refused and nothing worse', async () => {
    const half = REST_BODY_BYTES_MAX / 2 - 10;
    const payload = `{"url": ${'['.repeat(half)}${']'.repeat(half)}}`;
    const { status } = await api.ask(withId(line), { headers: json, payload });
    expect(status).toBe(422);
  });

  test('query parameters are refused', async () => {
    expectRefusedAt(await api.ask(`${withId(line)}?dry_run=1`, { json: accepted }), '?dry_run');
  });
});

describe('url', () => {
  const at = (url: unknown) => api.ask('POST /webhooks', { json: { ...valid, url } });

  test.each([
    ['a number', 5],
    ['null', null],
    ['a list', ['https://example.com/']],
    ['an object', {}],
    ['a boolean', true],
  ])('%s is no string', async (_name, url) => {
    const answer = await at(url);
    expectRefusedAt(answer, '/url');
    expect(answer.body.errors[0].code).toBe('invalid_type');
  });

  test.each([
    '',
    'nonsense',
    '/hooks',
    '//example.com/hooks',
    'example.com',
    'http://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/plain,x',
    'https://',
    'https://user@example.com/',
    'https://user:password@example.com/',
    'https://example.com/#part',
    'https://localhost/',
    'https://intranet/',
    'https://printer.local/',
    'https://db.internal/',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0177.0.0.1/',
    'https://10.0.0.1/',
    'https://192.168.1.1/',
    'https://172.16.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://100.64.0.1/',
    'https://0.0.0.0/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[fe80::1]/',
    'https://[fd00::1]/',
    'https://example.com:0/',
    'https://example.com:99999/',
    'https://exa mple.com/',
    `https://example.com/${'a'.repeat(2048 - 'https://example.com/'.length + 1)}`,
  ])('%s is refused', async (url) => {
    expectRefusedAt(await at(url), '/url');
    expectRefusedAt(await api.ask(`PATCH /webhooks/${id}`, { json: { url } }), '/url');
  });

  test('a password in a url is not repeated', async () => {
    expect((await at('https://user:hunter2@example.com/')).text).not.toContain('hunter2');
  });

  test.each([
    'https://example.com/',
    'https://example.com:8443/hooks?x=1&y=%20',
    'https://sub.example.co.uk/ä',
    'https://93.184.216.34/',
    `https://example.com/${'a'.repeat(2048 - 'https://example.com/'.length)}`,
  ])('%s is accepted', async (url) => {
    const { status, body } = await at(url);
    expect(status).toBe(201);
    expect(body.data.url).toBe(new URL(url).href);
  });
});

describe('events', () => {
  const at = (events: unknown) => api.ask('POST /webhooks', { json: { ...valid, events } });

  test.each([
    ['a text', 'booking.created', '/events'],
    ['null', null, '/events'],
    ['an object', {}, '/events'],
    ['an empty list', [], '/events'],
    ['a number in the list', [5], '/events/0'],
    ['null in the list', ['booking.created', null], '/events/1'],
    ['a list in the list', [['*']], '/events/0'],
    ['an unknown event', ['booking.created', 'booking.moved'], '/events/1'],
    ['another case', ['Booking.Created'], '/events/0'],
    ['blanks around a name', [' booking.created'], '/events/0'],
    ['a pattern', ['booking.*'], '/events/0'],
    ['an empty name', [''], '/events/0'],
    ['a duplicate', ['booking.created', 'coupon.applied', 'booking.created'], '/events/2'],
    ['the wildcard with others', ['booking.created', '*'], '/events/1'],
    ['101 names', Array.from({ length: 101 }, (_, n) => `a.b${n}`), '/events'],
    ['a name with NUL', ['booking.created\u0000'], '/events/0'],
  ])('%s is refused', async (_name, events, pointer) => {
    expectRefusedAt(await at(events), pointer);
    expectRefusedAt(await api.ask(`PATCH /webhooks/${id}`, { json: { events } }), pointer);
  });

  test('100 names are judged one by one', async () => {
    const names = Array.from({ length: 100 }, (_, n) => `a.b${n}`);
    expectRefusedAt(await at(names), ...names.map((_, n) => `/events/${n}`));
  });

  test('every broken rule is named, not only the first', async () => {
    expectRefusedAt(
      await api.ask('POST /webhooks', { json: { url: 'x', events: ['*', '*'] } }),
      '/url',
      '/events/0',
      '/events/1',
    );
  });
});

describe('missing and empty', () => {
  test('url and events are required', async () => {
    const answer = await api.ask('POST /webhooks', { json: {} });
    expectRefusedAt(answer, '/url', '/events');
    expect(answer.body.errors.map(({ code }: { code: string }) => code)).toEqual(['required', 'required']);
    expectRefusedAt(await api.ask('POST /webhooks', { json: { url: valid.url } }), '/events');
  });

  test('PATCH needs at least one of active, url and events', async () => {
    const answer = await api.ask(`PATCH /webhooks/${id}`, { json: {} });
    expectRefusedAt(answer, '');
    expect(answer.body.errors[0].code).toBe('nothing_to_change');
  });

  test.each([null, 'true', 1, 0, [], {}])('active: %j is no boolean', async (active) => {
    expectRefusedAt(await api.ask(`PATCH /webhooks/${id}`, { json: { active } }), '/active');
  });
});

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
    '999999',
  ];
  test.each(bad)('%s is 404 on every route', async (text) => {
    expectProblem(await api.ask(`GET /webhooks/${text}`), 'not_found');
    expectProblem(await api.ask(`PATCH /webhooks/${text}`, { json: { active: true } }), 'not_found');
    expectProblem(await api.ask(`DELETE /webhooks/${text}`), 'not_found');
    expectProblem(await api.ask(`POST /webhooks/${text}/test`), 'not_found');
  });

  test('a malformed escape is 404', async () => {
    expectProblem(await api.ask('GET /webhooks/%zz'), 'not_found');
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

  test('an unknown path is 404 whatever the body is', async () => {
    expectProblem(await api.ask('POST /nothing', { headers: json, payload: '{' }), 'not_found');
    expectProblem(
      await api.ask('POST /nothing', { headers: { 'content-type': 'a/b' }, payload: 'x' }),
      'not_found',
    );
    expectProblem(
      await api.ask('POST /nothing', { headers: json, payload: 'x'.repeat(200_000) }),
      'not_found',
    );
  });
});
