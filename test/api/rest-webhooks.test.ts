import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { REST_BODY_BYTES_MAX } from '../../src/server.js';
import { makeKey, makeTenant, type TestTenant } from '../support/factories.js';
import { expectProblem, expectRefusedAt, RestApi } from '../support/rest-api.js';

/** The contract's fields, in the contract's order. */
const contractFields = [
  'id',
  'url',
  'events',
  'active',
  'consecutive_failures',
  'last_success_at',
  'last_failure_at',
  'disabled_at',
  'created_at',
];
const timestamp = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\+00:00$/;
const valid = { url: 'https://example.com/hooks', events: ['booking.created', 'coupon.applied'] };

let api: RestApi;
beforeAll(async () => {
  api = await RestApi.open({ WEBHOOKS_PER_TENANT_MAX: '40' });
});
afterAll(() => api[Symbol.asyncDispose]());

async function pause(id: number): Promise<void> {
  expect((await api.ask(`PATCH /webhooks/${id}`, { json: { active: false } })).status).toBe(200);
}

describe('POST /webhooks (contract part 4)', () => {
  test('JSON object: url (string), events (array of strings) → Object { "data": <subscription> } including the one-time secret', async () => {
    const answer = await api.ask('POST /webhooks', { json: valid });
    expect(answer.status).toBe(201);
    expect(Object.keys(answer.body)).toEqual(['data']);
    expect(Object.keys(answer.body.data)).toEqual([...contractFields, 'secret']);
    expect(answer.body.data).toMatchObject(valid);
  });

  test('"Becomes true on creation", "Starts at 0", "Null until a delivery has succeeded / failed", "Null on creation"', async () => {
    expect(await api.webhook()).toMatchObject({
      active: true,
      consecutive_failures: 0,
      last_success_at: null,
      last_failure_at: null,
      disabled_at: null,
    });
  });

  test('id is an integer; created_at an "ISO 8601 date-time with numeric UTC offset"', async () => {
    const { id, created_at } = await api.webhook();
    expect(Number.isInteger(id)).toBe(true);
    expect(created_at).toMatch(timestamp);
    expect(Math.abs(Date.parse(created_at) - Date.now())).toBeLessThan(60_000);
  });

  test('secret: "Signing secret (about 48 characters)", different each time', async () => {
    const [one, two] = [await api.webhook(), await api.webhook()];
    expect(one.secret).toMatch(/^whsec_[A-Za-z0-9+/]{44}$/);
    expect(two.secret).not.toBe(one.secret);
  });

  test('the Location header is the path of the new webhook', async () => {
    const { headers, body } = await api.ask('POST /webhooks', { json: valid });
    expect(headers['location']).toBe(`/api/v1/webhooks/${body.data.id}`);
    expect((await api.ask(`GET ${String(headers['location']).replace('/api/v1', '')}`)).body.data.id).toBe(
      body.data.id,
    );
  });

  test('["*"] for all events, including events added later', async () => {
    expect((await api.webhook({ url: valid.url, events: ['*'] })).events).toEqual(['*']);
  });

  test('webhook.test may be named in events, and equal urls are allowed', async () => {
    expect((await api.webhook({ url: valid.url, events: ['webhook.test'] })).events).toEqual([
      'webhook.test',
    ]);
  });

  test('the answer with the secret may not be kept by any cache', async () => {
    expect((await api.ask('POST /webhooks', { json: valid })).headers['cache-control']).toBe('no-store');
  });

  test("at the tenant's limit: 409 webhook_limit_reached, and a deletion makes room", async () => {
    const { key } = await makeTenant(api.services);
    for (let made = 0; made < 40; made++) {
      await api.webhook(valid, key);
    }
    const refused = await api.ask('POST /webhooks', { json: valid, key });
    expectProblem(refused, 'webhook_limit_reached');
    const { body } = await api.ask('GET /webhooks', { key });
    await api.ask(`DELETE /webhooks/${body.data[0].id}`, { key });
    expect((await api.ask('POST /webhooks', { json: valid, key })).status).toBe(201);
  });
});

describe('reading: "The secret appears only in the POST /webhooks response"', () => {
  test('GET /webhooks/{id} has the contract’s fields and no secret', async () => {
    const { secret, ...created } = await api.webhook(valid);
    const { status, body, text } = await api.ask(`GET /webhooks/${created.id}`);
    expect(status).toBe(200);
    expect(body).toEqual({ data: created });
    expect(Object.keys(body.data)).toEqual(contractFields);
    expect(text).not.toContain(secret);
  });

  test('neither the list, nor PATCH, nor the test answer has it', async () => {
    const { id, secret } = await api.webhook(valid);
    const answers = [
      await api.ask('GET /webhooks'),
      await api.ask(`PATCH /webhooks/${id}`, { json: { active: true } }),
      await api.ask(`POST /webhooks/${id}/test`),
    ];
    for (const { text } of answers) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain('"secret"');
    }
  });
});

describe('GET /webhooks: "List of the tenant\'s subscriptions"', () => {
  let tenant: TestTenant;
  const ids: number[] = [];
  const list = (query = '') => api.ask(`GET /webhooks${query}`, { key: tenant.key });
  const idsOf = ({ body }: { body: { data: { id: number }[] } }) => body.data.map(({ id }) => id);

  beforeAll(async () => {
    tenant = await makeTenant(api.services);
    for (const events of [
      ['*'],
      ['booking.created'],
      ['coupon.applied', 'booking.created'],
      ['voucher.emitted'],
    ]) {
      ids.unshift((await api.webhook({ url: valid.url, events }, tenant.key)).id);
    }
    await api.ask(`PATCH /webhooks/${ids[0]}`, { json: { active: false }, key: tenant.key });
  });

  test('newest first, each with the contract’s fields', async () => {
    const answer = await list();
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body)).toEqual(['data', 'meta']);
    expect(answer.body.meta).toEqual({ next_cursor: null });
    expect(idsOf(answer)).toEqual(ids);
    for (const webhook of answer.body.data) {
      expect(Object.keys(webhook)).toEqual(contractFields);
    }
  });

  test('a tenant without webhooks has an empty list', async () => {
    const { key } = await makeTenant(api.services);
    expect((await api.ask('GET /webhooks', { key })).body).toEqual({ data: [], meta: { next_cursor: null } });
  });

  test.each([1, 2, 3])(
    'pages of %i lead through the whole list, and the last one has no next_cursor',
    async (limit) => {
      const seen: number[][] = [];
      let cursor = '';
      do {
        const page = await list(`?limit=${limit}${cursor}`);
        seen.push(idsOf(page));
        const next = page.body.meta.next_cursor;
        expect(next === null || /^[\w-]+$/.test(next)).toBe(true);
        cursor = next === null ? '' : `&cursor=${next}`;
      } while (cursor !== '');
      expect(seen.flat()).toEqual(ids);
      expect(seen).toHaveLength(Math.ceil(ids.length / limit));
    },
  );

  test('a cursor stays good when its webhook is deleted', async () => {
    const { key } = await makeTenant(api.services);
    const made = [await api.webhook(valid, key), await api.webhook(valid, key)];
    const first = await api.ask('GET /webhooks?limit=1', { key });
    await api.ask(`DELETE /webhooks/${made[1].id}`, { key });
    const rest = await api.ask(`GET /webhooks?cursor=${first.body.meta.next_cursor}`, { key });
    expect(idsOf(rest)).toEqual([made[0].id]);
  });

  test('limit is 1 to 100, both included', async () => {
    expect((await list('?limit=1')).body.data).toHaveLength(1);
    expect((await list('?limit=100')).status).toBe(200);
  });

  test('active and event filter, the wildcard included, also together', async () => {
    expect(idsOf(await list('?active=false'))).toEqual([ids[0]]);
    expect(idsOf(await list('?active=true'))).toEqual(ids.slice(1));
    expect(idsOf(await list('?event=booking.created'))).toEqual([ids[1], ids[2], ids[3]]);
    expect(idsOf(await list('?event=voucher.emitted&active=true'))).toEqual([ids[3]]);
  });

  test.each([
    ['limit=0', '?limit'],
    ['limit=101', '?limit'],
    ['limit=-1', '?limit'],
    ['limit=1.5', '?limit'],
    ['limit=1e1', '?limit'],
    ['limit=', '?limit'],
    ['limit=abc', '?limit'],
    ['limit=5&limit=6', '?limit'],
    ['cursor=', '?cursor'],
    ['cursor=bad', '?cursor'],
    ['cursor=!!!', '?cursor'],
    [`cursor=${Buffer.from('id:0').toString('base64url')}`, '?cursor'],
    [`cursor=${Buffer.from('id:99999999999999999').toString('base64url')}`, '?cursor'],
    ['active=yes', '?active'],
    ['active=TRUE', '?active'],
    ['active=', '?active'],
    ['active=1', '?active'],
    ['event=', '?event'],
    ['event=nothing.such', '?event'],
    ['event=*', '?event'],
    ['event=a.b&event=c.d', '?event'],
    ['page=2', '?page'],
    ['__proto__=1', '?__proto__'],
    ['limit=0&active=2&page=3', '?limit', '?active', '?page'],
  ])('?%s is 422 and names the parameter', async (query, ...places) => {
    expectRefusedAt(await list(`?${query}`), ...places);
  });
});

describe('PATCH /webhooks/{id}', () => {
  test('JSON object with active (boolean) → updated subscription', async () => {
    const { secret: _, ...created } = await api.webhook(valid);
    const { status, body } = await api.ask(`PATCH /webhooks/${created.id}`, { json: { active: false } });
    expect(status).toBe(200);
    expect(Object.keys(body.data)).toEqual(contractFields);
    expect(body.data).toEqual({ ...created, active: false, disabled_at: expect.stringMatching(timestamp) });
  });

  test('disabled → {"active": true} → active: "Re-enables the endpoint", and clears disabled_at and the counter', async () => {
    const { id } = await api.webhook(valid);
    await api.services.db.pool.query(
      `update hookwright.webhooks set active = false, disabled_at = now(), disabled_reason = 'FAILURES',
       consecutive_failures = 10, hold_until = now() + interval '1 hour' where id = $1`,
      [id],
    );
    expect((await api.ask(`GET /webhooks/${id}`)).body.data).toMatchObject({
      active: false,
      consecutive_failures: 10,
    });
    const { body } = await api.ask(`PATCH /webhooks/${id}`, { json: { active: true } });
    expect(body.data).toMatchObject({ active: true, consecutive_failures: 0, disabled_at: null });
  });

  test('setting the value it has changes nothing at all', async () => {
    const { secret: _, ...created } = await api.webhook(valid);
    expect((await api.ask(`PATCH /webhooks/${created.id}`, { json: { active: true } })).body.data).toEqual(
      created,
    );
    await pause(created.id);
    const before = (await api.ask(`GET /webhooks/${created.id}`)).body;
    await pause(created.id);
    expect((await api.ask(`GET /webhooks/${created.id}`)).body).toEqual(before);
  });

  test('url and events can be changed too, alone and together', async () => {
    const { id } = await api.webhook(valid);
    const change = { url: 'https://other.example.com/in?x=1', events: ['*'] };
    expect((await api.ask(`PATCH /webhooks/${id}`, { json: { url: change.url } })).body.data).toMatchObject({
      ...valid,
      url: change.url,
    });
    expect(
      (await api.ask(`PATCH /webhooks/${id}`, { json: { ...change, active: false } })).body.data,
    ).toMatchObject({
      ...change,
      active: false,
    });
  });

  test('a refused change changes nothing', async () => {
    const { secret: _, ...created } = await api.webhook(valid);
    const refused = await api.ask(`PATCH /webhooks/${created.id}`, {
      json: { active: false, url: 'nonsense' },
    });
    expectRefusedAt(refused, '/url');
    expect((await api.ask(`GET /webhooks/${created.id}`)).body.data).toEqual(created);
  });
});

describe('DELETE /webhooks/{id}: "Deletes the subscription"', () => {
  test('204 without a body, and 404 afterwards on every route', async () => {
    const { id } = await api.webhook(valid);
    const answer = await api.ask(`DELETE /webhooks/${id}`);
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 204, text: '' });
    expectProblem(await api.ask(`DELETE /webhooks/${id}`), 'not_found');
    expectProblem(await api.ask(`GET /webhooks/${id}`), 'not_found');
    expectProblem(await api.ask(`PATCH /webhooks/${id}`, { json: { active: true } }), 'not_found');
    expectProblem(await api.ask(`POST /webhooks/${id}/test`), 'not_found');
    const { body } = await api.ask('GET /webhooks');
    expect(body.data.map((webhook: { id: number }) => webhook.id)).not.toContain(id);
  });
});

describe('POST /webhooks/{id}/test: "Dispatches a webhook.test event to that subscription"', () => {
  test('202 with the delivery, whatever the webhook subscribed to', async () => {
    const { id } = await api.webhook({ url: valid.url, events: ['coupon.applied'] });
    const { status, body } = await api.ask(`POST /webhooks/${id}/test`);
    expect(status).toBe(202);
    expect(Object.keys(body)).toEqual(['data']);
    expect(Object.entries(body.data)).toEqual([
      ['id', expect.any(Number)],
      ['event', 'webhook.test'],
      ['webhook_id', id],
      ['status', 'PENDING'],
      ['created_at', expect.stringMatching(timestamp)],
    ]);
    const { rows } = await api.services.db.pool.query(
      `select d.webhook_id, e.body from hookwright.deliveries d join hookwright.events e on e.id = d.event_id where d.id = $1`,
      [body.data.id],
    );
    expect(rows).toEqual([{ webhook_id: id, body: '{"message":"A test of this webhook."}' }]);
  });

  test('409 while inactive, and the detail names the way to try it: held: KEEP, a test, releaseHeld', async () => {
    const { id } = await api.webhook(valid);
    await pause(id);
    const answer = await api.ask(`POST /webhooks/${id}/test`);
    expectProblem(answer, 'webhook_inactive');
    expect(answer.body.detail).toMatch(/GraphQL.*updateWebhook.*held: KEEP.*test.*releaseHeld/);
  });
});

describe('authentication (contract part 5)', () => {
  const routes = [
    'GET /webhooks',
    'POST /webhooks',
    'GET /webhooks/1',
    'PATCH /webhooks/1',
    'DELETE /webhooks/1',
    'POST /webhooks/1/test',
  ];

  test.each(routes)('%s requires the Authorization header', async (line) => {
    for (const key of [null, 'nonsense', `${api.tenant.key.slice(0, -1)}?`, '']) {
      const answer = await api.ask(line, { key });
      expectProblem(answer, 'unauthenticated');
      expect(answer.headers['www-authenticate']).toBe('Bearer');
    }
  });

  test('a bad key is refused before the body is looked at', async () => {
    const json = { 'content-type': 'application/json' };
    expectProblem(
      await api.ask('POST /webhooks', { key: 'x', headers: json, payload: '{' }),
      'unauthenticated',
    );
    const payload = 'x'.repeat(REST_BODY_BYTES_MAX + 1);
    expectProblem(await api.ask('POST /webhooks', { key: 'x', headers: json, payload }), 'unauthenticated');
  });

  test.each(routes)('%s needs its scope', async (line) => {
    const isRead = line.startsWith('GET');
    const { id } = await api.webhook(valid);
    const { key } = await makeKey(api.services, api.tenant.id, [isRead ? 'webhooks:write' : 'webhooks:read']);
    const json = line.startsWith('PATCH') ? { active: true } : valid;
    const answer = await api.ask(line.replace('/1', `/${id}`), { key, ...(isRead ? {} : { json }) });
    expectProblem(answer, 'scope_missing');
    expect(answer.body.detail).toContain(isRead ? 'webhooks:read' : 'webhooks:write');
  });

  test('"the credential identifies the tenant": a foreign webhook is 404, never 403, and stays untouched', async () => {
    const { secret: _, ...mine } = await api.webhook(valid);
    const { key } = await makeTenant(api.services);
    for (const [line, json] of [
      [`GET /webhooks/${mine.id}`],
      [`PATCH /webhooks/${mine.id}`, { active: false }],
      [`DELETE /webhooks/${mine.id}`],
      [`POST /webhooks/${mine.id}/test`],
    ] as [string, object?][]) {
      const foreign = await api.ask(line, { key, ...(json ? { json } : {}) });
      const unknown = await api.ask(line.replace(String(mine.id), '999999'), {
        key,
        ...(json ? { json } : {}),
      });
      expectProblem(foreign, 'not_found');
      expect(foreign.body.detail.replace(String(mine.id), '999999')).toBe(unknown.body.detail);
    }
    expect((await api.ask('GET /webhooks', { key })).body.data).toEqual([]);
    expect((await api.ask(`GET /webhooks/${mine.id}`)).body.data).toEqual(mine);
  });

  test('a platform key names the tenant that it acts for', async () => {
    const { key } = await makeKey(api.services, null, ['platform:admin']);
    const { id } = await api.webhook(valid);
    expectProblem(await api.ask(`GET /webhooks/${id}`, { key }), 'tenant_required');
    const named = (tenant: string | number) => ({ key, headers: { 'hookwright-tenant': String(tenant) } });
    expect((await api.ask(`GET /webhooks/${id}`, named(api.tenant.id))).body.data.id).toBe(id);
    expectProblem(await api.ask(`GET /webhooks/${id}`, named(999_999)), 'not_found');
    expectProblem(await api.ask(`GET /webhooks/${id}`, named('x')), 'not_found');
  });

  test("a tenant's key cannot name another tenant", async () => {
    const other = await makeTenant(api.services);
    const headers = { 'hookwright-tenant': String(other.id) };
    expectProblem(await api.ask('GET /webhooks', { headers }), 'scope_missing');
  });
});
