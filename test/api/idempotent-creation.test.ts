import { afterAll, describe, expect, test } from 'vitest';
import { forgetOld, OLD_ROWS } from '../../src/operations/housekeeping/forget.js';
import { makeKey, makeTenant } from '../support/factories.js';
import { expectProblem, RestApi, type RestRequest } from '../support/rest-api.js';

/** A `POST /webhooks` whose answer was lost is sent again. */

const api = await RestApi.open({ WEBHOOKS_PER_TENANT_MAX: '100', CORS_ORIGINS: 'https://app.example.com' });
afterAll(() => api[Symbol.asyncDispose]());

const wanted = { url: 'https://example.com/hooks', events: ['booking.created'] };
let keys = 0;
const newKey = () => `key-${++keys}`;
const post = (key: string, json: object = wanted, request: RestRequest = {}) =>
  api.ask('POST /webhooks', { json, ...request, headers: { 'idempotency-key': key } });
const idOf = async (answer: ReturnType<typeof post>) => (await answer).body.data.id as number;
const graphql = async (query: string) => (await api.ask('POST //graphql', { json: { query } })).body;

describe('the same Idempotency-Key', () => {
  test('gets the webhook as it is now, with the secret of its creation', async () => {
    const key = newKey();
    const first = await post(key);
    const { id, secret } = first.body.data;
    expect(first.status).toBe(201);
    await api.ask(`PATCH /webhooks/${id}`, { json: { active: false, events: ['*'] } });
    const again = await post(key);
    expect(again.status).toBe(201);
    expect(again.body.data).toMatchObject({ id, secret, active: false, events: ['*'] });
    expect(again.headers).toMatchObject({ etag: '"2"', location: `/api/v1/webhooks/${id}` });
    expect(await idOf(post(newKey()))).not.toBe(id);
  });

  test('for the same request in other words, and by GraphQL, is the same', async () => {
    const key = newKey();
    const id = await idOf(post(key));
    expect(await idOf(post(key, { events: wanted.events, url: 'HTTPS://example.com:443/hooks' }))).toBe(id);
    const { data } = await graphql(`mutation { createWebhook(input: {url: "${wanted.url}",
      eventTypes: ["booking.created"], idempotencyKey: "${key}"}) { webhook { databaseId } secret } }`);
    expect(data.createWebhook.webhook.databaseId).toBe(id);
  });

  test('of a webhook that is made paused is another request than of one that is active', async () => {
    const made = (key: string, active: string) =>
      graphql(`mutation { createWebhook(input: {url: "${wanted.url}", eventTypes: ["booking.created"],
        idempotencyKey: "${key}"${active}}) { webhook { databaseId active } } }`);
    const [paused, usual] = [newKey(), newKey()];
    const { data } = await made(paused, ', active: false');
    expect(data.createWebhook.webhook.active).toBe(false);
    expect((await made(paused, ', active: false')).data).toEqual(data);
    expect((await made(paused, '')).errors[0].extensions.code).toBe('CONFLICT');
    const active = (await made(usual, '')).data;
    expect((await made(usual, ', active: true')).data).toEqual(active);
  });

  test('makes one webhook of requests at the same time: the others wait for the first', async () => {
    const key = newKey();
    const answers = await Promise.all(Array.from({ length: 8 }, () => post(key)));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 201));
    expect(new Set(answers.map(({ body }) => `${body.data.id} ${body.data.secret}`)).size).toBe(1);
  });

  test.each([
    ['another url', { ...wanted, url: 'https://example.com/other' }],
    ['other events', { ...wanted, events: ['*'] }],
  ])('with %s is refused, and makes nothing', async (_, other) => {
    const key = newKey();
    await post(key);
    const before = (await api.ask('GET /webhooks')).body.data.length;
    expectProblem(await post(key, other), 'idempotency_key_reused');
    expect((await api.ask('GET /webhooks')).body.data).toHaveLength(before);
  });

  test('is refused once the webhook was deleted', async () => {
    const key = newKey();
    const id = await idOf(post(key));
    await api.ask(`DELETE /webhooks/${id}`);
    expectProblem(await post(key), 'webhook_deleted');
  });

  test.each([0, 24])('is refused once the secret was rotated, with an overlap of %i h', async (overlapHours) => {
    const key = newKey();
    const id = await idOf(post(key));
    await graphql(`mutation { rotateWebhookSecret(input: {id: "${id}", overlapHours: ${overlapHours}}) { secret } }`);
    expectProblem(await post(key), 'secret_rotated');
  });

  test('belongs to its API key and its tenant', async () => {
    const key = newKey();
    const id = await idOf(post(key));
    const second = await makeKey(api.services, api.tenant.id, ['webhooks:write']);
    expect(await idOf(post(key, wanted, { key: second.key }))).not.toBe(id);
    const platform = await makeKey(api.services, null, ['platform:admin']);
    const tenants = [await makeTenant(api.services), await makeTenant(api.services)];
    const made = tenants.map((tenant) =>
      api.ask('POST /webhooks', {
        json: wanted,
        key: platform.key,
        headers: { 'idempotency-key': key, 'hookwright-tenant': String(tenant.id) },
      }),
    );
    expect((await made[0]!).body.data.id).not.toBe((await made[1]!).body.data.id);
  });

  test('is free for another webhook after 24 hours, and then forgotten', async () => {
    const key = newKey();
    const id = await idOf(post(key));
    const age = (hours: number) =>
      api.owner.query(
        `update hookwright.creation_keys set created_at = now() - interval '${hours} hours' where webhook_id = ${id}`,
      );
    const forget = () => forgetOld(api.owner, OLD_ROWS['creation keys'], 30);
    await age(23.9);
    await forget();
    expect(await idOf(post(key))).toBe(id);
    await age(24.1);
    const another = await idOf(post(key));
    expect(another).not.toBe(id);
    expect(await idOf(post(key))).toBe(another);
    const other = await idOf(post(newKey()));
    await api.owner.query(`update hookwright.creation_keys set created_at = now() - interval '25 hours'`);
    await forget();
    const { rows } = await api.owner.query('select from hookwright.creation_keys');
    expect([rows.length, other]).toEqual([0, expect.any(Number)]);
  });
});

describe('a refused request uses no key', () => {
  test('because a value was wrong', async () => {
    const key = newKey();
    expectProblem(await post(key, { ...wanted, url: 'nonsense' }), 'invalid_input');
    expect((await post(key)).status).toBe(201);
  });

  test('because there were too many webhooks; a repeated request has no limit', async () => {
    const own = await RestApi.open({ WEBHOOKS_PER_TENANT_MAX: '1' });
    const ask = (key: string) => own.ask('POST /webhooks', { json: wanted, headers: { 'idempotency-key': key } });
    const first = await ask('a');
    expectProblem(await ask('b'), 'webhook_limit_reached');
    expect((await ask('a')).body.data).toEqual(first.body.data);
    await own.ask(`DELETE /webhooks/${first.body.data.id}`);
    expect((await ask('b')).status).toBe(201);
    await own[Symbol.asyncDispose]();
  });
});

describe('the header', () => {
  test.each(['k', 'k'.repeat(255), '"quoted"', "a b'c\\{}"])('may be %j', async (key) => {
    const id = await idOf(post(key));
    expect(await idOf(post(key))).toBe(id);
  });

  test.each(['', 'k'.repeat(256), 'ä', 'a\tb'])('may not be %j', async (key) => {
    expectProblem(await post(key), 'header_malformed');
    expectProblem(await post(key, {}), 'header_malformed');
    const { errors } = await graphql(`mutation { createWebhook(input: {url: "${wanted.url}", eventTypes: ["*"],
      idempotencyKey: ${JSON.stringify(key)}}) { webhook { id } } }`);
    expect(errors[0].extensions).toMatchObject({ code: 'BAD_USER_INPUT', reason: 'invalid_input' });
  });

  test('may come from another origin', async () => {
    const headers = {
      origin: 'https://app.example.com',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,idempotency-key',
    };
    const answer = await api.ask('OPTIONS /webhooks', { key: null, headers });
    expect(String(answer.headers['access-control-allow-headers'])).toContain('idempotency-key');
  });
});

test('what is kept has no secret in it', async () => {
  const { secret } = (await post(newKey())).body.data;
  const { rows } = await api.owner.query<{ row: string }>('select k::text as row from hookwright.creation_keys k');
  const { rows: webhooks } = await api.owner.query<{ sealed: string }>(
    `select encode(sealed_secret, 'hex') as sealed from hookwright.webhooks where deleted_at is null`,
  );
  const kept = rows.map(({ row }) => row).join();
  for (const text of [secret, wanted.url, ...webhooks.map(({ sealed }) => sealed)]) {
    expect(kept).not.toContain(text);
  }
});
