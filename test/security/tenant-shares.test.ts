import { afterAll, describe, expect, test } from 'vitest';
import { makeKey, makeTenant } from '../support/factories.js';
import { codesOf, GraphqlApi } from '../support/graphql-api.js';
import { numberIn } from '../support/ids.js';
import { coupon, emitOne, expectLimited, LimitedApi } from '../support/limited-api.js';

const api = await GraphqlApi.open({ API_KEYS_PER_TENANT_MAX: '5' });
afterAll(() => api.close());

describe('the active API keys of a tenant', () => {
  const selection = 'key apiKey { id }';
  const create = (key: string, more: object = {}) =>
    api.by({ key }).mutate('createApiKey', { name: 'one more', scopes: ['webhooks:read'], ...more }, selection);

  test('are at most as many as the setting says, also when they are made at once', async () => {
    const { key } = await makeTenant(api.services);
    const answers = await Promise.all(Array.from({ length: 10 }, () => create(key)));
    expect(answers.filter(({ errors }) => errors.length === 0)).toHaveLength(4);
    const refused = answers.filter(({ errors }) => errors.length > 0);
    expect(refused.flatMap(codesOf)).toEqual(Array(6).fill('CONFLICT'));
    expect(refused[0]?.errors[0]).toMatchObject({
      message: 'A tenant may have 5 active API keys; revoke one first, or wait until one expires.',
      extensions: { reason: 'api_key_limit_reached' },
    });
  });

  test('do not include revoked and expired ones, nor those of other tenants', async () => {
    const tenant = await makeTenant(api.services);
    const made = [];
    for (let n = 0; n < 4; n++) {
      const { data } = await create(tenant.key, { expiresInSeconds: 60 });
      made.push(data.createApiKey.apiKey.id);
    }
    expect(codesOf(await create(tenant.key))).toEqual(['CONFLICT']);
    expect((await create((await makeTenant(api.services)).key)).errors).toEqual([]);
    const revoke = 'mutation ($id: ID!) { revokeApiKey(input: {id: $id}) { apiKey { id } } }';
    await api.ask(revoke, { id: made[0] }, tenant);
    expect((await create(tenant.key)).errors).toEqual([]);
    expect(codesOf(await create(tenant.key))).toEqual(['CONFLICT']);
    const expire = `update hookwright.api_keys set expires_at = now() - interval '1 second' where id = $1`;
    await api.owner.query(expire, [numberIn(made[1])]);
    expect((await create(tenant.key)).errors).toEqual([]);
  });

  test('bind platform keys that act for the tenant, and no platform keys', async () => {
    const tenant = await makeTenant(api.services);
    const { key } = await makeKey(api.services, null, ['platform:admin']);
    const input = { name: 'one more', scopes: ['webhooks:read'] };
    const forTenant = () => api.by({ key, tenant: tenant.id }).mutate('createApiKey', input, selection);
    for (let n = 0; n < 4; n++) {
      expect((await forTenant()).errors).toEqual([]);
    }
    expect(codesOf(await forTenant())).toEqual(['CONFLICT']);
    for (let n = 0; n < 6; n++) {
      expect((await create(key, { scopes: ['platform:admin'] })).errors).toEqual([]);
    }
  });
});

describe('the management operations of a tenant', () => {
  const limited = new LimitedApi({ MANAGEMENT_RATE_MAX: '10', MANAGEMENT_BURST_MAX: '5' });
  const list = (key: string) => limited.api.ask('GET /webhooks', { key });
  const keysOf = async (tenantId: number, count: number) => {
    const make = () => makeKey(limited.api.services, tenantId, ['webhooks:read', 'events:emit']);
    return (await Promise.all(Array.from({ length: count }, make))).map(({ key }) => key);
  };

  test('are those of five keys, however many it has; other tenants have theirs', async () => {
    const { id } = await limited.newTenant();
    const keys = await keysOf(id, 7);
    for (const key of keys.slice(0, 5)) {
      for (let n = 0; n < 5; n++) {
        expect((await list(key)).status).toBe(200);
      }
    }
    const sixth = keys[5]!;
    const refused = await list(sixth);
    expectLimited(refused, 1);
    expect(refused.body.detail).toContain('All API keys of the tenant together have used up');
    expect(refused.headers['ratelimit-policy']).toBe('"management";q=25;w=1');
    expect((await list((await limited.newTenant()).key)).status).toBe(200);
    limited.nowMs += 20; // one of 50 a second
    expect((await list(sixth)).status).toBe(200);
    expectLimited(await list(keys[6]!), 1);
  });

  test('include documents that are refused: they end with all of its keys, and its emits pass until then', async () => {
    const { id } = await limited.newTenant();
    const keys = await keysOf(id, 6);
    const last = keys[5]!;
    for (const key of keys.slice(0, 5)) {
      for (let n = 0; n < 5; n++) {
        expect((await limited.graphql('{', {}, { key })).status).toBe(400);
      }
    }
    expect((await limited.graphql(emitOne, { input: coupon }, { key: last })).status).toBe(200);
    expect((await limited.graphql('{', {}, { key: last })).status).toBe(400);
    expectLimited(await limited.graphql(emitOne, { input: coupon }, { key: last }), 1);
  });

  test('do not include those of platform keys that act for it', async () => {
    const { id, key: own } = await limited.newTenant();
    const { key } = await makeKey(limited.api.services, null, ['platform:admin']);
    for (const other of await keysOf(id, 5)) {
      for (let n = 0; n < 5; n++) {
        await list(other);
      }
    }
    expectLimited(await list(own), 1);
    const headers = { 'hookwright-tenant': String(id) };
    expect((await limited.api.ask('GET /webhooks', { key, headers })).status).toBe(200);
  });
});
