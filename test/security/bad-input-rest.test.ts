import { afterAll, describe, expect, test } from 'vitest';
import { makeTenant } from '../support/factories.js';
import { Refusals, words } from '../support/refusals.js';
import { RestApi } from '../support/rest-api.js';

const api = await RestApi.open();
const { id } = await api.webhook();
await makeTenant(api.services); // somebody else, whom nobody may reach
const refusals = await Refusals.of(api);
afterAll(() => api[Symbol.asyncDispose]());

const withId = (line: string, text: string | number = id) => line.replace(':id', () => escaped(String(text)));
const routes = [
  ...['GET /webhooks', 'POST /webhooks'],
  ...['GET /webhooks/:id', 'PATCH /webhooks/:id', 'DELETE /webhooks/:id', 'POST /webhooks/:id/test'],
];
const routesWithId = routes.filter((line) => line.includes(':id'));
const good: Record<string, object> = {
  'POST /webhooks': { url: 'https://example.com/', events: ['*'] },
  'PATCH /webhooks/:id': { active: false },
};

const bodyOf = (line: string) => (good[line] === undefined ? {} : { json: good[line] });

describe.each(routes)('%s', (line) => {
  const bodied = bodyOf(line);

  test('refuses keys that are none', async () => {
    const { key } = api.tenant;
    const others = ['', ' ', 'x', 'Bearer', 'Bearer ', 'bearer', `Basic ${btoa('a:b')}`, `Token ${key}`, key];
    const bearers = [
      ...[key.slice(0, -1), `${key}x`, key.toUpperCase(), `${key} ${key}`, `hw_0_${'a'.repeat(49)}`],
      ...['hw_99999999999999999999_x', 'x'.repeat(5000), 'null', 'ü', "' or 1=1"],
    ];
    for (const authorization of [...others, ...bearers.map((bearer) => `Bearer ${bearer}`)]) {
      const { text } = await refusals.expect(withId(line), { ...bodied, key: null, headers: { authorization } }, [401]);
      expect(text).not.toContain(key);
    }
  });

  test('refuses tenants that are none, or not its own', async () => {
    for (const tenant of ['0', '-1', 'x', '1.5', '999999', '9'.repeat(30), "1' or '1'='1", '1, 2', 'null']) {
      await refusals.expect(withId(line), { ...bodied, headers: { 'hookwright-tenant': tenant } }, [403, 404]);
    }
  });

  test('refuses parameters that it does not know', async () => {
    const queries = words('x=1 limits=1 __proto__=1 constructor=1 %00=1 %zz=1 a[b]=c limit[]=1 =1 LIMIT=1');
    for (const query of [...queries, `${'x'.repeat(500)}=1`]) {
      await refusals.expect(`${withId(line)}?${query}`, bodied, [422]);
    }
  });
});

test.each(routesWithId)('%s refuses ids that are none', async (line) => {
  const ids = words(`
    0 -1 -0 1.0 1.5 01 +1 1e0 1e3 0x1 abc %20 %201 1%20 null undefined NaN Infinity true
    9007199254740991 9007199254740992 99999999999999999999 %00 1%00 %0a %F0%9F%98%80 %ED%A0%80 %ff %zz %
    1'%20or%201=1 1;drop ..%2f1 %2e%2e 1%2ftest __proto__ constructor * [1] {id} :id １ ١ 999999
  `);
  for (const text of [...ids, '9'.repeat(100), '9'.repeat(5000)]) {
    await refusals.expect(withId(line, text), bodyOf(line), [404]);
  }
});

test('the list refuses parameters that are out of their range, broken or doubled', async () => {
  const values: Record<string, string[]> = {
    limit: words('0 -1 101 1.5 1e1 +1 %201 0x1 01 abc null 9999999999 %00 １ 1&limit=2 []'),
    cursor: words(`x %00 aWQ6MA aWQ6LTE aWQ6MQ== aWQ6OTk5OTk5OTk5OTk5OTk5OTk5OQ %ED%A0%80 ' ..%2f
      aWQ6MQ&cursor=aWQ6MQ`),
    active: words('0 1 yes True TRUE %20true null on true&active=false'),
    event: words(`no.such * Coupon.applied %00 %20coupon.applied __proto__ constructor '
      coupon.applied&event=coupon.applied`),
  };
  for (const [name, texts] of Object.entries(values)) {
    for (const text of [...texts, '', '9'.repeat(3000)]) {
      await refusals.expect(`GET /webhooks?${name}=${escaped(text)}`, {}, [422]);
    }
  }
});

/** Keeps escaped characters as they are. */
function escaped(text: string): string {
  return text.replaceAll(/[^\x21-\x7e]/g, encodeURIComponent);
}

test('paths and methods that there are not', async () => {
  for (const method of words('PUT OPTIONS TRACE PROPFIND LOCK SEARCH QUERY MKCOL REPORT PURGE')) {
    for (const path of words(`/webhooks /webhooks/${id} /webhooks/${id}/test /openapi.json //graphql //health/ready`)) {
      const { headers } = await refusals.expect(`${method} ${path}`, {}, [405]);
      expect(headers['allow']).toMatch(/[A-Z]/);
    }
  }
  const paths = words(`
    / /webhook /webhooks/ /Webhooks //api //api/ //api/v2/webhooks //webhooks //.env //.git/config
    //admin //graphql/ //graphql/streams //graphiql/x //health //health/ //metrics //problem //problems/
    //%2e%2e/etc/passwd //..%2f..%2fetc/passwd //%00 //% //%zz //%ff //api/v1/%2e%2e/webhooks
    //webhooks;a=b //favicon.ico //__proto__ //constructor
    /webhooks/${id}/ /webhooks/${id}/test/ /webhooks/${id}/tests //${'a/'.repeat(2000)} //${'x'.repeat(8000)}
  `);
  for (const path of ['', ...paths]) {
    for (const method of ['GET', 'POST']) {
      await refusals.expect(`${method} ${path}`, method === 'POST' ? { json: {} } : {}, [404]);
    }
  }
});

test('these were at least 550 bad requests, and nothing was written', async () => {
  expect(refusals.count).toBeGreaterThan(550);
  await refusals.expectNothingWritten();
});
