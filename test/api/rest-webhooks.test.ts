import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPERATIONAL_EVENT_TYPES } from '../../src/domain/events/operational-events.js';
import { makeTenant, makeWebhook, type TestTenant } from '../support/factories.js';
import {
  contractFields,
  expectProblem,
  expectRefusedAt,
  RestApi,
  type RestRequest,
  timestamp,
} from '../support/rest-api.js';

const valid = { url: 'https://example.com/hooks', events: ['booking.created', 'coupon.applied'] };

const api = await RestApi.open({ WEBHOOKS_PER_TENANT_MAX: '40' });
afterAll(() => api[Symbol.asyncDispose]());

const read = async (id: number) => (await api.ask(`GET /webhooks/${id}`)).body.data;
/** Changes a webhook. @returns the webhook */
async function patch(id: number, json: object) {
  const { status, body } = await api.ask(`PATCH /webhooks/${id}`, { json });
  expect(status).toBe(200);
  return body.data;
}
/** A new webhook, as all later answers show it. */
async function create() {
  const { secret: _, ...webhook } = await api.webhook(valid);
  return webhook;
}

describe('POST /webhooks (contract part 4)', () => {
  test('JSON object: url (string), events (array of strings) → Object { "data": <subscription> } including the one-time secret', async () => {
    const { status, headers, body } = await api.ask('POST /webhooks', { json: valid });
    expect(status).toBe(201);
    expect(Object.keys(body)).toEqual(['data']);
    expect(Object.keys(body.data)).toEqual([...contractFields, 'secret']);
    expect(body.data).toEqual({
      ...valid,
      id: expect.any(Number),
      active: true,
      consecutive_failures: 0,
      last_success_at: null,
      last_failure_at: null,
      disabled_at: null,
      created_at: expect.stringMatching(timestamp),
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{44}$/),
    });
    expect(Number.isInteger(body.data.id)).toBe(true);
    expect(Math.abs(Date.parse(body.data.created_at) - Date.now())).toBeLessThan(60_000);
    expect(headers).toMatchObject({ location: `/api/v1/webhooks/${body.data.id}`, 'cache-control': 'no-store' });
    expect((await api.webhook()).secret).not.toBe(body.data.secret);
  });

  test.each(['*', 'webhook.test', ...OPERATIONAL_EVENT_TYPES])(
    '%s may be named in events, and equal urls are allowed',
    async (name) => {
      expect((await api.webhook({ url: valid.url, events: [name] })).events).toEqual([name]);
    },
  );

  test("at the tenant's limit: 409 webhook_limit_reached, and a deletion makes room", async () => {
    const { id: tenantId, key } = await makeTenant(api.services);
    for (let made = 0; made < 39; made++) {
      await makeWebhook(api.services, tenantId);
    }
    const { id } = await api.webhook(valid, key);
    expectProblem(await api.ask('POST /webhooks', { json: valid, key }), 'webhook_limit_reached');
    await api.ask(`DELETE /webhooks/${id}`, { key });
    await api.webhook(valid, key);
  });
});

test('"The secret appears only in the POST /webhooks response"', async () => {
  const { secret, ...created } = await api.webhook(valid);
  const read = await api.ask(`GET /webhooks/${created.id}`);
  expect(read).toMatchObject({ status: 200, body: { data: created } });
  expect(Object.keys(read.body.data)).toEqual(contractFields);
  const answers = [
    await api.ask('GET /webhooks'),
    await api.ask(`PATCH /webhooks/${created.id}`, { json: { active: true } }),
    await api.ask(`POST /webhooks/${created.id}/test`),
  ];
  for (const { text } of [read, ...answers]) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain('"secret"');
  }
});

describe('PATCH /webhooks/{id}', () => {
  test('JSON object with active (boolean) → updated subscription', async () => {
    const created = await create();
    const paused = await patch(created.id, { active: false });
    expect(Object.keys(paused)).toEqual(contractFields);
    expect(paused).toEqual({ ...created, active: false, disabled_at: expect.stringMatching(timestamp) });
  });

  test('disabled → {"active": true} → active: "Re-enables the endpoint", and clears disabled_at and the counter', async () => {
    const { id } = await create();
    await api.owner.query(
      `update hookwright.webhooks set active = false, disabled_at = now(), disabled_reason = 'FAILURES',
       consecutive_failures = 10, hold_until = now() + interval '1 hour' where id = $1`,
      [id],
    );
    expect(await read(id)).toMatchObject({ active: false, consecutive_failures: 10 });
    const enabled = await patch(id, { active: true });
    expect(enabled).toMatchObject({ active: true, consecutive_failures: 0, disabled_at: null });
  });

  test('setting the value it has changes nothing at all', async () => {
    const created = await create();
    expect(await patch(created.id, { active: true })).toEqual(created);
    const paused = await patch(created.id, { active: false });
    await patch(created.id, { active: false });
    expect(await read(created.id)).toEqual(paused);
  });

  test('url and events can be changed too, alone and together', async () => {
    const { id } = await create();
    const [url, events] = ['https://other.example.com/in?x=1', ['*']];
    expect(await patch(id, { url })).toMatchObject({ ...valid, url });
    expect(await patch(id, { url, events, active: false })).toMatchObject({ url, events, active: false });
  });

  test('a refused change changes nothing', async () => {
    const created = await create();
    const json = { active: false, url: 'nonsense' };
    expectRefusedAt(await api.ask(`PATCH /webhooks/${created.id}`, { json }), '/url');
    expect(await read(created.id)).toEqual(created);
  });
});

describe('DELETE /webhooks/{id}: "Deletes the subscription"', () => {
  test('204 without a body, and 404 afterwards on every route', async () => {
    const { id } = await create();
    expect(await api.ask(`DELETE /webhooks/${id}`)).toMatchObject({ status: 204, text: '' });
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
    const { rows } = await api.owner.query(
      `select d.webhook_id, e.body from hookwright.deliveries d join hookwright.events e on e.id = d.event_id where d.id = $1`,
      [body.data.id],
    );
    expect(rows).toEqual([{ webhook_id: id, body: '{"message":"A test of this webhook."}' }]);
  });

  test('409 while inactive, and the detail names the way to try it: held: KEEP, a test, releaseHeld', async () => {
    const { id } = await create();
    await patch(id, { active: false });
    const answer = await api.ask(`POST /webhooks/${id}/test`);
    expectProblem(answer, 'webhook_inactive');
    expect(answer.body.detail).toMatch(/GraphQL.*updateWebhook.*held: KEEP.*test.*releaseHeld/);
  });

  describe('with a body that names an event', () => {
    const coupon = { code: 'SUMMER', discount_type: 'fixed' };
    const sendTest = async (request: RestRequest) => {
      const { id } = await api.webhook({ url: valid.url, events: ['booking.created'] });
      const answer = await api.ask(`POST /webhooks/${id}/test`, request);
      const sent = await api.owner.query('select event_type, body from hookwright.events where only_webhook_id = $1', [
        id,
      ]);
      return { ...answer, sent: sent.rows };
    };

    test.each<[string, RestRequest, string]>([
      ['the payload', { json: { event: 'coupon.applied', payload: coupon } }, JSON.stringify(coupon)],
      ['its sample without a payload', { json: { event: 'coupon.applied' } }, '{"code":"text","discount_type":"text"}'],
      ['whatever the type of the body', { payload: '{"event":"coupon.applied","payload":null}' }, expect.any(String)],
    ])('sends %s', async (_what, request, body) => {
      const answer = await sendTest(request);
      expect(answer.body.data).toMatchObject({ event: 'coupon.applied', status: 'PENDING' });
      expect(answer.sent).toEqual([{ event_type: 'coupon.applied', body }]);
    });

    test.each<[object, string[]]>([
      [{ event: 'no.such' }, ['/event']],
      [{ event: 7 }, ['/event']],
      [{ event: 'coupon.applied', payload: [] }, ['/payload']],
      [{ event: 'coupon.applied', payload: coupon, url: 'x' }, ['/url']],
      [{ event: 'coupon.applied', payload: { code: 1 } }, ['/payload/discount_type', '/payload/code']],
      [{ event: 'webhook.test', payload: coupon }, ['/payload']],
    ])('refuses %j, and says where', async (json, places) => {
      const answer = await sendTest({ json });
      expectRefusedAt(answer, ...places);
      expect(answer.sent).toEqual([]);
    });

    test('refuses one that is too long', async () => {
      const answer = await sendTest({ json: { event: 'coupon.applied', payload: { code: 'x'.repeat(70_000) } } });
      expectProblem(answer, 'payload_too_large');
    });
  });

  test.each<RestRequest>([{ json: { payload: {} } }, { json: ['event'] }, { json: { event: null } }, { json: null }])(
    'ignores a body without an event: %j',
    async (request) => {
      const { id } = await create();
      const { status, body } = await api.ask(`POST /webhooks/${id}/test`, request);
      expect([status, body.data.event]).toEqual([202, 'webhook.test']);
    },
  );
});

describe('GET /webhooks: "List of the tenant\'s subscriptions"', () => {
  let tenant: TestTenant;
  const ids: number[] = [];
  const list = (query = '') => api.ask(`GET /webhooks${query}`, { key: tenant.key });
  const idsOf = ({ body }: { body: { data: { id: number }[] } }) => body.data.map(({ id }) => id);

  beforeAll(async () => {
    tenant = await makeTenant(api.services);
    for (const events of [['*'], ['booking.created'], ['coupon.applied', 'booking.created'], ['voucher.emitted']]) {
      ids.unshift((await api.webhook({ url: valid.url, events }, tenant.key)).id);
    }
    await api.ask(`PATCH /webhooks/${ids[0]}`, { json: { active: false }, key: tenant.key });
  });

  test('newest first, each with the contract’s fields', async () => {
    const answer = await list();
    expect(answer).toMatchObject({ status: 200, body: { meta: { next_cursor: null } } });
    expect(Object.keys(answer.body)).toEqual(['data', 'meta']);
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
    const [older, newer] = [await api.webhook(valid, key), await api.webhook(valid, key)];
    const first = await api.ask('GET /webhooks?limit=1', { key });
    await api.ask(`DELETE /webhooks/${newer.id}`, { key });
    const rest = await api.ask(`GET /webhooks?cursor=${first.body.meta.next_cursor}`, { key });
    expect(idsOf(rest)).toEqual([older.id]);
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
    ...['0', '101', '-1', '1.5', '1e1', '', 'abc', '5&limit=6'].map((text) => [`limit=${text}`, '?limit']),
    ...['', 'bad', '!!!'].map((text) => [`cursor=${text}`, '?cursor']),
    ...['0', '99999999999999999'].map((id) => [
      `cursor=${Buffer.from(`webhooks:${id}`).toString('base64url')}`,
      '?cursor',
    ]),
    ...['yes', 'TRUE', '', '1'].map((text) => [`active=${text}`, '?active']),
    ...['', 'nothing.such', '*', 'a.b&event=c.d'].map((text) => [`event=${text}`, '?event']),
    ['page=2', '?page'],
    ['__proto__=1', '?__proto__'],
    ['limit=0&active=2&page=3', '?limit', '?active', '?page'],
  ])('?%s is 422 and names the parameter', async (query, ...places) => {
    expectRefusedAt(await list(`?${query}`), ...places);
  });
});
