import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPERATIONAL_EVENT_TYPES } from '../../src/domain/events/operational-events.js';
import { makeTenant } from '../support/factories.js';
import { contractFields, expectProblem, expectRefusedAt, RestApi, timestamp } from '../support/rest-api.js';

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
    expect((await api.webhook({ url: valid.url, events: ['webhook.test'] })).events).toEqual(['webhook.test']);
  });

  test.each(OPERATIONAL_EVENT_TYPES)('%s may be named in events', async (type) => {
    expect((await api.webhook({ url: valid.url, events: [type] })).events).toEqual([type]);
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
    await api.owner.query(
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
    expect((await api.ask(`PATCH /webhooks/${created.id}`, { json: { active: true } })).body.data).toEqual(created);
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
    expect((await api.ask(`PATCH /webhooks/${id}`, { json: { ...change, active: false } })).body.data).toMatchObject({
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
    const { rows } = await api.owner.query(
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
