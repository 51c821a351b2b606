import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem, expectRefusedAt, RestApi } from '../support/rest-api.js';

const REST_BODY_BYTES_MAX = 65_536;

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

  test.each(['gzip', 'br', 'deflate, gzip'])('a body with the content encoding %s is 415', async (coding) => {
    const headers = { ...json, 'content-encoding': coding };
    const answer = await api.ask(withId(line), { headers, payload: JSON.stringify(accepted) });
    expectProblem(answer, 'unsupported_media_type');
  });

  test('the content encoding identity is none', async () => {
    const headers = { ...json, 'content-encoding': 'Identity' };
    const answer = await api.ask(withId(line), { headers, payload: JSON.stringify(accepted) });
    expect(answer.status).toBeLessThan(300);
  });

  test('application/json may have a charset', async () => {
    const headers = { 'content-type': 'Application/JSON; charset=utf-8' };
    expect((await api.ask(withId(line), { headers, payload: JSON.stringify(accepted) })).status).toBeLessThan(300);
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
      expect(answer.body.errors[0]).toMatchObject({
        code: 'unknown_property',
        detail: expect.stringMatching(/^is not a property of this request, which may have (active, )?url, events$/),
      });
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
    expect(above.body.detail).toContain(`${REST_BODY_BYTES_MAX} bytes`);
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
    const at = `${withId(line)}?dry_run=1`;
    expectRefusedAt(await api.ask(at, { json: accepted }), '?dry_run');
    // Before the body is read, whatever that is.
    expectRefusedAt(await api.ask(at, { headers: json, payload: '{' }), '?dry_run');
    expectRefusedAt(await api.ask(at, { headers: { 'content-type': 'text/plain' }, payload: 'x' }), '?dry_run');
  });
});
