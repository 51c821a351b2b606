import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildGraphqlSchema } from '../../src/graphql/schema.js';
import { badValues } from '../support/bad-values.js';
import { makeTenant } from '../support/factories.js';
import { type RestAnswer, RestApi, type RestRequest } from '../support/rest-api.js';
import { fingerprint, innards, longTexts } from '../support/untouched.js';

let api: RestApi;
let id: number;
let untouched: string;
let refused = 0;
beforeAll(async () => {
  api = await RestApi.open();
  ({ id } = await api.webhook());
  await makeTenant(api.services); // somebody else, whom nobody may reach
  untouched = await fingerprint(api.services);
});
afterAll(() => api[Symbol.asyncDispose]());

const json = { 'content-type': 'application/json' };
const withId = (line: string, text: string | number = id) => line.replace(':id', () => escaped(String(text)));
const routes = [
  'GET /webhooks',
  'POST /webhooks',
  'GET /webhooks/:id',
  'PATCH /webhooks/:id',
  'DELETE /webhooks/:id',
  'POST /webhooks/:id/test',
];
const routesWithId = routes.filter((line) => line.includes(':id'));
const good: Record<string, object> = {
  'POST /webhooks': { url: 'https://example.com/', events: ['*'] },
  'PATCH /webhooks/:id': { active: false },
};

/** A problem as it has to be: typed, complete, and telling nothing of how the service is made. */
async function expectRefused(line: string, request: RestRequest, statuses: number[]): Promise<RestAnswer> {
  const answer = await api.ask(line, request);
  const { status, headers, body, text } = answer;
  expect(statuses, `${line} ${text.slice(0, 200)}`).toContain(status);
  expect(headers['content-type']).toBe('application/problem+json');
  expect(body).toMatchObject({
    status,
    code: expect.stringMatching(/^[a-z_]+$/),
    detail: expect.stringMatching(/./),
  });
  expect(text).not.toMatch(innards);
  expect(text.length).toBeLessThan(20_000);
  for (const long of longTexts([request.json, request.payload, line])) {
    expect(text).not.toContain(long);
  }
  refused += 1;
  return answer;
}

describe.each(routes)('%s', (line) => {
  const isRead = good[line] !== undefined;
  const bodied = isRead ? { json: good[line] } : {};

  test('refuses keys that are none', async () => {
    const keys = [
      '',
      ' ',
      'x',
      'Bearer',
      'Bearer ',
      'bearer',
      `Basic ${Buffer.from('a:b').toString('base64')}`,
      `Token ${api.tenant.key}`,
      api.tenant.key,
      `Bearer ${api.tenant.key.slice(0, -1)}`,
      `Bearer ${api.tenant.key}x`,
      `Bearer ${api.tenant.key.toUpperCase()}`,
      `Bearer ${api.tenant.key} ${api.tenant.key}`,
      `Bearer hw_0_${'a'.repeat(49)}`,
      'Bearer hw_99999999999999999999_x',
      `Bearer ${'x'.repeat(5000)}`,
      'Bearer null',
      'Bearer ü',
      "Bearer ' or 1=1",
    ];
    for (const authorization of keys) {
      const { text } = await expectRefused(
        withId(line),
        { ...bodied, key: null, headers: { authorization } },
        [401],
      );
      expect(text).not.toContain(api.tenant.key);
    }
  });

  test('refuses tenants that are none, or not its own', async () => {
    for (const tenant of ['0', '-1', 'x', '1.5', '999999', '9'.repeat(30), "1' or '1'='1", '1, 2', 'null']) {
      await expectRefused(withId(line), { ...bodied, headers: { 'hookwright-tenant': tenant } }, [403, 404]);
    }
  });

  test('refuses parameters that it does not know', async () => {
    const queries = [
      'x=1',
      'limits=1',
      '__proto__=1',
      'constructor=1',
      '%00=1',
      '%zz=1',
      'a[b]=c',
      'limit[]=1',
      `${'x'.repeat(500)}=1`,
      '=1',
      'LIMIT=1',
    ];
    for (const query of queries) {
      await expectRefused(`${withId(line)}?${query}`, bodied, [422]);
    }
  });
});

test.each(routesWithId)('%s refuses ids that are none', async (line) => {
  const ids = [
    '0',
    '-1',
    '-0',
    '1.0',
    '1.5',
    '01',
    '+1',
    '1e0',
    '1e3',
    '0x1',
    'abc',
    '%20',
    '%201',
    '1%20',
    'null',
    'undefined',
    'NaN',
    'Infinity',
    'true',
    '9007199254740991',
    '9007199254740992',
    '99999999999999999999',
    '%00',
    '1%00',
    '%0a',
    '%F0%9F%98%80',
    '%ED%A0%80',
    '%ff',
    '%zz',
    '%',
    "1'%20or%201=1",
    '1;drop',
    '..%2f1',
    '%2e%2e',
    '1%2ftest',
    '__proto__',
    'constructor',
    '*',
    '[1]',
    '{id}',
    ':id',
    '１',
    '١',
    '9'.repeat(100),
    '9'.repeat(5000),
    '999999',
  ];
  for (const text of ids) {
    await expectRefused(withId(line, text), good[line] ? { json: good[line] } : {}, [404]);
  }
});

test('the list refuses parameters that are out of their range, broken or doubled', async () => {
  const values: Record<string, string[]> = {
    limit: [
      '',
      '0',
      '-1',
      '101',
      '1.5',
      '1e1',
      '+1',
      '%201',
      '0x1',
      '01',
      'abc',
      'null',
      '9999999999',
      '9'.repeat(400),
      '%00',
      '１',
      '1&limit=2',
      '[]',
    ],
    cursor: [
      '',
      'x',
      '%00',
      'aWQ6MA',
      'aWQ6LTE',
      'aWQ6MQ==',
      'aWQ6OTk5OTk5OTk5OTk5OTk5OTk5OQ',
      'x'.repeat(3000),
      '%ED%A0%80',
      "'",
      '..%2f',
      'aWQ6MQ&cursor=aWQ6MQ',
    ],
    active: ['', '0', '1', 'yes', 'True', 'TRUE', '%20true', 'null', 'on', 'true&active=false'],
    event: [
      '',
      'no.such',
      '*',
      'Coupon.applied',
      '%00',
      '%20coupon.applied',
      '__proto__',
      'constructor',
      "'",
      'x'.repeat(3000),
      'coupon.applied&event=coupon.applied',
    ],
  };
  for (const [name, texts] of Object.entries(values)) {
    for (const text of texts) {
      await expectRefused(`GET /webhooks?${name}=${escaped(text)}`, {}, [422]);
    }
  }
});

/** What is escaped already stays as it is. */
function escaped(text: string): string {
  return text.replaceAll(/[^\x21-\x7e]/g, encodeURIComponent);
}

describe.each(Object.entries(good))('the body of %s', (line, whole) => {
  const send = (payload: string | Buffer, headers: Record<string, string> = json, statuses = [400]) =>
    expectRefused(withId(line), { payload, headers }, statuses);

  test('is refused when it is no JSON', async () => {
    const texts = [
      '',
      ' ',
      '\n',
      '{',
      '}',
      '[',
      ']',
      '"',
      "'",
      '{}{}',
      '{,}',
      '{"url"}',
      '{"url":}',
      '{"active":true,}',
      "{'active':true}",
      '{active:true}',
      '{"active":True}',
      'NaN',
      'undefined',
      '{"active":NaN}',
      '{"active":01}',
      '{"active":+1}',
      '{"active":.5}',
      '{"active":1e}',
      '"\u0001"',
      '"\\x"',
      '"\\u12"',
      '\ufeff\ufeff{}',
      '//{}',
      '{"a":1}//',
      'active=true',
      '<a/>',
      '---\na: 1',
      '\u0000',
    ];
    for (const text of texts) {
      await send(text);
    }
    for (const bytes of [
      [0xff],
      [0xfe, 0xff],
      [0x22, 0xff, 0x22],
      [0x22, 0xc0, 0x80, 0x22],
      [0x22, 0xed, 0xa0, 0x80, 0x22],
      [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22],
      [0x1f, 0x8b, 8, 0],
    ]) {
      await send(Buffer.from(bytes));
    }
  });

  test('is refused for its type, encoding and length', async () => {
    const text = JSON.stringify(whole);
    const types = [
      'text/plain',
      'text/json',
      'application/xml',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonx',
      'application/json-patch+json',
      'application/graphql',
      ';;;',
      '*/*',
      'json',
      '/',
      'application/',
    ];
    for (const type of types) {
      await send(text, { 'content-type': type }, [415]);
    }
    await send('x'.repeat(65_537), json, [413]);
    await send(`{"url": "${'x'.repeat(70_000)}"}`, json, [413]);
    await send(`${'['.repeat(30_000)}${']'.repeat(30_000)}`, json, [422]);
    await send(text, { ...json, 'content-length': String(text.length + 1) }, [400]);
    await send(text, { ...json, 'content-length': String(text.length - 1) }, [400]);
  });

  test('is refused when it is another kind of JSON, or has other members', async () => {
    for (const value of [null, true, false, 0, -1, '', 'x', [], [whole], [[]], {}, { data: whole }]) {
      await expectRefused(withId(line), { json: value }, [422]);
    }
    for (const name of [
      'secret',
      'id',
      'Active',
      'URL',
      'held',
      'event',
      'eventTypes',
      'constructor',
      'toString',
      '',
      ' ',
      '\u0000',
      '\ud800',
      'a/b~c',
      'x'.repeat(400),
      'consecutive_failures',
      'disabled_at',
      'tenant_id',
    ]) {
      await expectRefused(withId(line), { json: { ...whole, [name]: 1 } }, [422]);
    }
    await send(JSON.stringify(whole).replace('{', '{"__proto__": {"active": true}, '), json, [422]);
    // Of members that stand there twice the last one counts, as everywhere in JavaScript: here it is the bad one.
    await send('{"url": "https://example.com/", "url": "x", "events": ["*"]}', json, [422]);
    await send('{"active": true, "active": "x"}', json, [422]);
  });

  test('is refused for each wrong value of each member', async () => {
    const schema = await buildGraphqlSchema();
    const input = schema.getType('CreateWebhookInput') as never as {
      getFields(): Record<string, { type: never }>;
    };
    const { url, eventTypes } = input.getFields();
    const bad = [
      ...[...badValues(url!.type, 'url')].map(({ value }) => ({ url: value })),
      ...[...badValues(eventTypes!.type, 'eventTypes')].map(({ path, value }) => ({
        events: path.length > 0 ? [value] : value,
      })),
      ...['true', 1, 0, null, {}, [], '', 'x'].map((active) => ({ active })),
    ];
    for (const change of bad) {
      const isAbsent = Object.values(change)[0] === undefined;
      if (!(isAbsent && line.startsWith('PATCH'))) {
        await expectRefused(withId(line), { json: { ...whole, ...change } }, [422]);
      }
    }
    for (const number of [
      '1e999',
      '-1e999',
      '123456789012345678901234567890',
      '0.1e-400',
      '9223372036854775808',
    ]) {
      await send(`{"url": ${number}, "events": [${number}]}`, json, [422]);
    }
  });
});

test('paths and methods that there are not', async () => {
  const methods = [
    'PUT',
    'OPTIONS',
    'TRACE',
    'PROPFIND',
    'LOCK',
    'SEARCH',
    'QUERY',
    'MKCOL',
    'REPORT',
    'PURGE',
  ];
  for (const method of methods) {
    for (const path of [
      '/webhooks',
      `/webhooks/${id}`,
      `/webhooks/${id}/test`,
      '/openapi.json',
      '//graphql',
      '//health/ready',
    ]) {
      const { headers } = await expectRefused(`${method} ${path}`, {}, [405]);
      expect(headers['allow']).toMatch(/[A-Z]/);
    }
  }
  const paths = [
    '/',
    '',
    '/webhook',
    '/webhooks/',
    `/webhooks/${id}/`,
    `/webhooks/${id}/test/`,
    `/webhooks/${id}/tests`,
    '/Webhooks',
    '//api',
    '//api/',
    '//api/v2/webhooks',
    '//webhooks',
    '//.env',
    '//.git/config',
    '//admin',
    '//graphql/',
    '//graphql/stream',
    '//graphiql/x',
    '//health',
    '//health/',
    '//metrics',
    '//problems',
    '//problems/',
    '//%2e%2e/etc/passwd',
    '//..%2f..%2fetc/passwd',
    '//%00',
    '//%',
    '//%zz',
    '//%ff',
    '//api/v1/%2e%2e/webhooks',
    `//${'a/'.repeat(2000)}`,
    `//${'x'.repeat(8000)}`,
    '//webhooks;a=b',
    '//favicon.ico',
    '//__proto__',
    '//constructor',
  ];
  for (const path of paths) {
    for (const method of ['GET', 'POST']) {
      await expectRefused(`${method} ${path}`, method === 'POST' ? { json: {} } : {}, [404]);
    }
  }
});

test('these were at least 800 bad requests, and nothing was written', async () => {
  expect(refused).toBeGreaterThan(800);
  expect(await fingerprint(api.services)).toBe(untouched);
});
