import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectRefusedAt, RestApi } from '../support/rest-api.js';

const valid = { url: 'https://example.com/hooks', events: ['booking.created'] };

let api: RestApi;
let id: number;
beforeAll(async () => {
  api = await RestApi.open();
  ({ id } = await api.webhook(valid));
});
afterAll(() => api[Symbol.asyncDispose]());

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
