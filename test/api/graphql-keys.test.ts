import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { formatApiKey, SCOPES, type Scope } from '../../src/domain/api-key.js';
import { emitMany, makeKey, makeTenant, makeWebhook, TestClock, type TestTenant } from '../support/factories.js';
import { codesOf, GraphqlApi } from '../support/graphql-api.js';

let api: GraphqlApi;
let tenant: TestTenant;
let platform: { id: number; key: string };
const clock = new TestClock();

beforeAll(async () => {
  api = await GraphqlApi.open({}, clock.now);
  tenant = await makeTenant(api.services);
  platform = await makeKey(api.services, null, ['platform:admin']);
});
afterAll(() => api?.close());

const viewer = (key: string | undefined, named?: number | string) =>
  api.ask('{ viewer { tenant { id } apiKey { id name } scopes } }', {}, named === undefined ? { key } : { key, tenant: named });
const createKey = (input: Record<string, unknown>, key: string, named?: number) =>
  api.ask(
    `mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) {
       key apiKey { id name scopes expiresAt revokedAt } } }`,
    { input },
    named === undefined ? { key } : { key, tenant: named },
  );
const revoke = (id: number | string, key = tenant.key) =>
  api.ask('mutation ($id: ID!) { revokeApiKey(input: {id: $id}) { apiKey { id revokedAt } } }', { id }, { key });

describe('authentication', () => {
  test('a valid key says who asks', async () => {
    const { data } = await viewer(tenant.key);
    expect(data.viewer).toMatchObject({
      tenant: { id: String(tenant.id) },
      apiKey: { id: String(tenant.keyId) },
      scopes: [...SCOPES],
    });
  });

  test('no key and every bad key get the same 401, which names the scheme', async () => {
    const expiring = (await createKey({ name: 'short', scopes: ['webhooks:read'], expiresInSeconds: 60 }, tenant.key)).data
      .createApiKey;
    const revoked = await makeKey(api.services, tenant.id, ['webhooks:read']);
    await revoke(revoked.id);
    expect((await viewer(expiring.key)).status).toBe(200);
    clock.advance(61_000);
    const bad = [
      'nonsense',
      tenant.key.slice(0, -1),
      formatApiKey(999_999, Buffer.alloc(32, 1)), // unknown
      formatApiKey(tenant.keyId, Buffer.alloc(32, 1)), // the id of a key, with another secret
      expiring.key,
      revoked.key,
    ];
    const answers = await Promise.all(bad.map((key) => viewer(key)));
    for (const { status, headers, errors, data } of answers) {
      expect(status).toBe(401);
      expect(data).toBeUndefined();
      expect(headers.get('www-authenticate')).toBe('Bearer');
      expect(errors).toEqual(answers[0]!.errors);
      expect(errors[0].extensions).toEqual({ code: 'UNAUTHENTICATED', reason: 'unauthenticated' });
    }
    const none = await viewer(undefined);
    expect(none.status).toBe(401);
    expect(none.headers.get('www-authenticate')).toBe('Bearer');
    expect(codesOf(none)).toEqual(['UNAUTHENTICATED']);
  });

  test('a revocation in another process works within 5 seconds', async () => {
    const { id, key } = await makeKey(api.services, tenant.id, ['webhooks:read']);
    expect((await viewer(key)).status).toBe(200);
    await api.services.db.pool.query('update hookwright.api_keys set revoked_at = now() where id = $1', [id]);
    expect((await viewer(key)).status).toBe(200);
    clock.advance(4_000);
    expect((await viewer(key)).status).toBe(401);
  });

  test('a key is looked up once for many requests at once, and its use noted once a minute', async () => {
    const { id, key } = await makeKey(api.services, tenant.id, ['webhooks:read']);
    const statements = vi.spyOn(api.services.db.pool, 'query');
    const named = (name: string) => statements.mock.calls.filter(([query]) => (query as { name?: string }).name === name);
    try {
      const ask = () => api.services.authenticator.authenticate(`Bearer ${key}`);
      await Promise.all(Array.from({ length: 50 }, ask));
      expect(named('read_api_key')).toHaveLength(1);
      expect(named('write_api_key_last_used')).toHaveLength(1);
      clock.advance(30_000);
      await ask();
      expect(named('write_api_key_last_used')).toHaveLength(1);
      clock.advance(30_000);
      await ask();
      expect(named('write_api_key_last_used')).toHaveLength(2);
    } finally {
      statements.mockRestore();
    }
    const lastUsedAt = async () => {
      const { rows } = await api.services.db.pool.query('select last_used_at from hookwright.api_keys where id = $1', [id]);
      return rows[0].last_used_at;
    };
    await expect.poll(lastUsedAt).not.toBeNull();
  });

  test.each(['bearer', 'BEARER', 'Bearer  '])('the scheme may be written %j', async (scheme) => {
    const caller = await api.services.authenticator.authenticate(`${scheme} ${tenant.key}`);
    expect(caller.tenantId).toBe(tenant.id);
  });

  test('a database that is away is no bad key', async () => {
    const away = vi.spyOn(api.services.db.pool, 'query').mockRejectedValue(
      Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }) as never,
    );
    try {
      clock.advance(10_000);
      const { status, headers, errors } = await viewer(tenant.key);
      expect(status).toBe(503);
      expect(headers.get('retry-after')).toBe('2');
      expect(errors[0].extensions.code).toBe('UNAVAILABLE');
    } finally {
      away.mockRestore();
    }
  });
});

describe('scopes', () => {
  const entryPoints: [field: string, operation: string, scopes: Scope[]][] = [
    ['webhook', '{ webhook(id: "1") { id } }', ['webhooks:read']],
    ['webhooks', '{ webhooks { edges { cursor } } }', ['webhooks:read']],
    ['event', '{ event(id: "1") { id } }', ['events:read']],
    ['events', '{ events { edges { cursor } } }', ['events:read']],
    ['delivery', '{ delivery(id: "1") { id } }', ['deliveries:read']],
    ['deliveries', '{ deliveries { edges { cursor } } }', ['deliveries:read']],
    ['apiKeys', '{ apiKeys { id } }', ['keys:admin']],
    ['createWebhook', 'mutation { createWebhook(input: {url: "", eventTypes: []}) { secret } }', ['webhooks:write']],
    ['updateWebhook', 'mutation { updateWebhook(input: {id: "1", active: true}) { webhook { id } } }', ['webhooks:write']],
    ['deleteWebhook', 'mutation { deleteWebhook(input: {id: "0"}) { deletedWebhookId } }', ['webhooks:write']],
    ['testWebhook', 'mutation { testWebhook(input: {id: "0"}) { delivery { id } } }', ['webhooks:write']],
    ['releaseHeld', 'mutation { releaseHeld(input: {webhookId: "0"}) { webhook { id } } }', ['webhooks:write']],
    ['emitEvent', 'mutation { emitEvent(input: {event: "a.b", payload: {}}) { duplicate } }', ['events:emit']],
    ['emitEvents', 'mutation { emitEvents(input: {events: []}) { results { duplicate } } }', ['events:emit']],
    ['redeliver', 'mutation { redeliver(input: {deliveryId: "0"}) { delivery { id } } }', ['deliveries:write']],
    ['createApiKey', 'mutation { createApiKey(input: {name: "", scopes: []}) { key } }', ['keys:admin']],
    ['revokeApiKey', 'mutation { revokeApiKey(input: {id: "0"}) { apiKey { id } } }', ['keys:admin']],
    ['createTenant', 'mutation { createTenant(input: {name: ""}) { tenant { id } } }', []],
  ];

  test.each(entryPoints)('%s needs its own scope, and all the others do not do', async (_field, operation, scopes) => {
    const others = await makeKey(
      api.services,
      tenant.id,
      SCOPES.filter((scope) => !scopes.includes(scope)),
    );
    expect((await api.ask(operation, {}, others)).errors[0].extensions).toEqual({
      code: 'FORBIDDEN',
      reason: 'scope_missing',
    });
    if (scopes.length > 0) {
      const right = await makeKey(api.services, tenant.id, scopes);
      expect(codesOf(await api.ask(operation, {}, right))).not.toContain('FORBIDDEN');
    }
    expect(codesOf(await api.ask(operation, {}, { ...platform, tenant: tenant.id }))).not.toContain('FORBIDDEN');
  });

  test('every root field is guarded: without a key it answers 401', async () => {
    for (const [, operation] of [...entryPoints, ['', '{ eventTypes { name } }'] as const]) {
      expect((await api.ask(operation)).status).toBe(401);
    }
  });

  test('the way from one kind of data to another needs the scope of that other', async () => {
    const owner = await makeTenant(api.services);
    await makeWebhook(api.services, owner.id);
    await emitMany(api.services, owner.id, 1);
    const { key } = await makeKey(api.services, owner.id, ['deliveries:read']);
    const { data, errors } = await api.ask(
      '{ deliveries { edges { node { status event { body } webhook { url } } } } }',
      {},
      { key },
    );
    expect(data.deliveries.edges[0].node).toEqual({ status: 'PENDING', event: null, webhook: null });
    expect(codesOf({ errors } as never)).toEqual(['FORBIDDEN', 'FORBIDDEN']);
  });
});

describe('tenants and platform keys', () => {
  test("another tenant's ids are unknown at every entry point", async () => {
    const owner = await makeTenant(api.services);
    const { id: webhookId } = await makeWebhook(api.services, owner.id);
    const [eventId] = await emitMany(api.services, owner.id, 1);
    const seen = await api.ask(`{ event(id: "${eventId}") { deliveries { id } } }`, {}, owner);
    const deliveryId = seen.data.event.deliveries[0].id;
    const operations = [
      `{ webhook(id: "${webhookId}") { id } }`,
      `{ event(id: "${eventId}") { id } }`,
      `{ delivery(id: "${deliveryId}") { id } }`,
      `mutation { updateWebhook(input: {id: "${webhookId}", active: false}) { webhook { id } } }`,
      `mutation { deleteWebhook(input: {id: "${webhookId}"}) { deletedWebhookId } }`,
      `mutation { testWebhook(input: {id: "${webhookId}"}) { delivery { id } } }`,
      `mutation { releaseHeld(input: {webhookId: "${webhookId}"}) { webhook { id } } }`,
      `mutation { redeliver(input: {deliveryId: "${deliveryId}"}) { delivery { id } } }`,
      `mutation { revokeApiKey(input: {id: "${owner.keyId}"}) { apiKey { id } } }`,
    ];
    for (const operation of operations) {
      expect(codesOf(await api.ask(operation, {}, tenant)), operation).toEqual(['NOT_FOUND']);
    }
    for (const list of ['webhooks', 'events', 'deliveries', `deliveries(filter: {webhookId: "${webhookId}"})`]) {
      const { data } = await api.ask(`{ list: ${list} { edges { node { id } } } }`, {}, await makeTenant(api.services));
      expect(data.list.edges, list).toEqual([]);
    }
    const after = await api.ask(`{ webhook(id: "${webhookId}") { active } apiKeys { id } }`, {}, owner);
    expect(after.data).toEqual({ webhook: { active: true }, apiKeys: [{ id: String(owner.keyId) }] });
  });

  test("a tenant's key may name its own tenant in the header, and no other", async () => {
    const other = await makeTenant(api.services);
    expect((await viewer(tenant.key, tenant.id)).errors).toEqual([]);
    for (const named of [other.id, 'x', '0', '999999']) {
      const answer = await viewer(tenant.key, named);
      expect(answer.status).toBe(200);
      expect(codesOf(answer)).toEqual(['FORBIDDEN']);
    }
  });

  test('a platform key makes tenants and acts for them by the header', async () => {
    const made = await api.ask('mutation { createTenant(input: {name: "Acme"}) { tenant { id name createdAt } } }', {}, platform);
    expect(made.data.createTenant.tenant).toMatchObject({ name: 'Acme' });
    const id = Number(made.data.createTenant.tenant.id);
    const again = await api.ask('mutation { createTenant(input: {name: "Acme"}) { tenant { id } } }', {}, platform);
    expect(again.errors[0].extensions).toEqual({ code: 'CONFLICT', reason: 'name_taken' });
    const key = await createKey({ name: 'first', scopes: ['webhooks:read', 'webhooks:write'] }, platform.key, id);
    expect((await viewer(key.data.createApiKey.key)).data.viewer.tenant).toEqual({ id: String(id) });
    const webhook = await api.ask(
      'mutation { createWebhook(input: {url: "https://a.example.com/", eventTypes: ["*"]}) { webhook { id } } }',
      {},
      { ...platform, tenant: id },
    );
    expect(webhook.errors).toEqual([]);
    const { data } = await api.ask('{ webhooks { edges { node { id } } } }', {}, key.data.createApiKey);
    expect(data.webhooks.edges).toEqual([{ node: webhook.data.createWebhook.webhook }]);
  });

  test('a platform key that names no tenant, or an unknown one, gets no further', async () => {
    const without = await api.ask('{ webhooks { edges { cursor } } }', {}, platform);
    expect(without.errors[0].extensions).toEqual({ code: 'FORBIDDEN', reason: 'tenant_required' });
    for (const named of ['999999', 'x', '-1']) {
      expect(codesOf(await viewer(platform.key, named))).toEqual(['NOT_FOUND']);
    }
    expect((await viewer(platform.key)).data.viewer).toMatchObject({ tenant: null, scopes: ['platform:admin'] });
  });
});

describe('making and revoking keys', () => {
  test('a key grants only scopes that it holds', async () => {
    const { key } = await makeKey(api.services, tenant.id, ['keys:admin', 'webhooks:read']);
    const granted = await createKey({ name: 'less', scopes: ['webhooks:read'] }, key);
    expect(granted.data.createApiKey.apiKey).toMatchObject({ name: 'less', scopes: ['webhooks:read'], expiresAt: null });
    expect((await viewer(granted.data.createApiKey.key)).data.viewer.scopes).toEqual(['webhooks:read']);
    for (const scopes of [['webhooks:write'], ['webhooks:read', 'events:emit'], ['platform:admin']]) {
      expect(codesOf(await createKey({ name: 'more', scopes }, key))).toEqual(['FORBIDDEN']);
    }
    expect(codesOf(await createKey({ name: 'mixed', scopes: ['platform:admin'] }, platform.key, tenant.id))).toEqual([
      'FORBIDDEN',
    ]);
    expect(codesOf(await createKey({ name: 'whose', scopes: ['webhooks:read'] }, platform.key))).toEqual(['FORBIDDEN']);
    expect(codesOf(await createKey({ name: 'second', scopes: ['platform:admin'] }, platform.key))).toEqual([]);
  });

  test.each([
    ['an empty name', { name: ' ' }, ['input', 'name']],
    ['a name that is too long', { name: 'a'.repeat(201) }, ['input', 'name']],
    ['a name with a line break', { name: 'a\nb' }, ['input', 'name']],
    ['no scopes', { scopes: [] }, ['input', 'scopes']],
    ['an unknown scope', { scopes: ['webhooks:read', 'all'] }, ['input', 'scopes', 1]],
    ['a scope twice', { scopes: ['webhooks:read', 'webhooks:read'] }, ['input', 'scopes']],
    ['59 seconds', { expiresInSeconds: 59 }, ['input', 'expiresInSeconds']],
    ['-1 seconds', { expiresInSeconds: -1 }, ['input', 'expiresInSeconds']],
    ['more than ten years', { expiresInSeconds: 2_147_483_647 }, ['input', 'expiresInSeconds']],
  ])('%s is refused at its place', async (_name, wrong, path) => {
    const { errors } = await createKey({ name: 'x', scopes: ['webhooks:read'], ...wrong }, tenant.key);
    expect(errors[0].extensions).toMatchObject({ code: 'BAD_USER_INPUT', errors: [{ path }] });
  });

  test('revoking is for good, works twice, and is seen in the list', async () => {
    const owner = await makeTenant(api.services);
    const { id, key } = await makeKey(api.services, owner.id, ['webhooks:read']);
    expect((await viewer(key)).status).toBe(200);
    const first = await revoke(id, owner.key);
    expect((await viewer(key)).status).toBe(401);
    const second = await revoke(id, owner.key);
    expect(first.data.revokeApiKey.apiKey.revokedAt).toEqual(expect.any(String));
    expect(second.data).toEqual(first.data);
    const { data } = await api.ask('{ apiKeys { id revokedAt lastUsedAt } }', {}, owner);
    expect(data.apiKeys.map((listed: { id: string }) => listed.id)).toEqual([String(id), String(owner.keyId)]);
    for (const unknown of ['0', 'x', '999999']) {
      expect(codesOf(await revoke(unknown, owner.key))).toEqual(['NOT_FOUND']);
    }
  });

  test('only the hash of a key is stored', async () => {
    const { data } = await createKey({ name: 'secret', scopes: ['webhooks:read'] }, tenant.key);
    const { rows } = await api.services.db.pool.query('select k::text as row from hookwright.api_keys k where id = $1', [
      data.createApiKey.apiKey.id,
    ]);
    expect(rows[0].row).not.toContain(data.createApiKey.key.slice(8, 40));
  });
});
