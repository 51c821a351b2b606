import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { makeKey, makeTenant, type TestTenant } from '../support/factories.js';
import { codesOf, dataOf, GraphqlApi, nodesOf } from '../support/graphql-api.js';
import { gid } from '../support/ids.js';

const api = await GraphqlApi.open();
const platform = await makeKey(api.services, null, ['platform:admin']);
afterAll(() => api.close());

let tenant: TestTenant;
beforeEach(async () => {
  tenant = await makeTenant(api.services);
});

interface Asking {
  key: string;
  tenant?: number;
}
const entries = async (filter = {}, asking: Asking = { key: tenant.key }) => {
  const query = `query ($filter: AuditLogFilter) { auditLog(filter: $filter) { edges { node {
    id action actor apiKeyId targetType targetId before after requestId createdAt } } } }`;
  return nodesOf((await api.by(asking).read(query, { filter })).auditLog);
};
const run = async (name: string, input: object, selection: string, asking: Asking = { key: tenant.key }) =>
  dataOf(await api.by(asking).mutate(name, input, selection))[name];
const makeWebhook = async (asking?: Asking) => {
  const input = { url: 'https://a.example.com/', eventTypes: ['coupon.applied'] };
  const { webhook, secret } = await run('createWebhook', input, 'secret webhook { id }', asking);
  return { id: webhook.id, secret };
};
const update = (id: string, input: object) => run('updateWebhook', { id, ...input }, 'webhook { id }');

describe('the audit log', () => {
  test('has the release of held deliveries, also one by updateWebhook', async () => {
    const { id } = await makeWebhook();
    await update(id, { active: false });
    await update(id, { active: true, held: 'KEEP' });
    await update(id, { active: true, held: 'RELEASE' });
    expect((await entries())[0]).toMatchObject({
      action: 'HELD_RELEASED',
      targetId: id,
      actor: 'TENANT_KEY',
      apiKeyId: gid.apiKey(tenant.keyId),
    });
  });

  test('shows who changed what, from what to what, newest first', async () => {
    const { id, secret } = await makeWebhook();
    await update(id, { url: 'https://b.example.com/' });
    await update(id, { active: false });
    await update(id, { active: true, held: 'KEEP' });
    await run('releaseHeld', { webhookId: id }, 'webhook { id }');
    const rotated = await run('rotateWebhookSecret', { id, overlapHours: 1 }, 'secret');
    const made = await run('createApiKey', { name: 'ci', scopes: ['events:emit'] }, 'key apiKey { id }');
    await run('revokeApiKey', { id: made.apiKey.id }, 'apiKey { id }');
    await run('deleteWebhook', { id }, 'deletedWebhookId');

    const log = await entries();
    const onWebhook = { targetType: 'WEBHOOK', targetId: id };
    const by = { actor: 'TENANT_KEY', apiKeyId: gid.apiKey(tenant.keyId), requestId: 'test' };
    const [a, b] = [{ url: 'https://a.example.com/' }, { url: 'https://b.example.com/' }];
    expect(log.slice(0, 9)).toMatchObject([
      { action: 'WEBHOOK_DELETED', ...onWebhook, ...by, before: b, after: null },
      { action: 'API_KEY_REVOKED', targetType: 'API_KEY', targetId: made.apiKey.id, ...by },
      {
        action: 'API_KEY_CREATED',
        targetId: made.apiKey.id,
        after: { name: 'ci', scopes: ['events:emit'], expiresInSeconds: null },
      },
      {
        action: 'WEBHOOK_SECRET_ROTATED',
        ...onWebhook,
        after: { overlapHours: 1, previousSecretExpiresAt: expect.stringMatching(/\+00:00$/) },
      },
      { action: 'HELD_RELEASED', ...onWebhook, before: null, after: null },
      { action: 'WEBHOOK_UPDATED', ...onWebhook, before: { active: false }, after: { active: true, held: 'KEEP' } },
      { action: 'WEBHOOK_UPDATED', ...onWebhook, before: { active: true }, after: { active: false } },
      { action: 'WEBHOOK_UPDATED', before: a, after: b },
      { action: 'WEBHOOK_CREATED', before: null, after: { ...a, eventTypes: ['coupon.applied'] } },
    ]);
    const text = JSON.stringify(log);
    for (const plain of [secret, rotated.secret, made.key]) {
      expect(text).not.toContain(plain);
    }
  });

  test('does not mention a change that changed nothing, or was refused', async () => {
    const { id } = await makeWebhook();
    const before = (await entries()).length;
    await update(id, { active: true, url: 'https://a.example.com/', eventTypes: ['coupon.applied'] });
    await run('releaseHeld', { webhookId: id }, 'webhook { id }');
    const { mutate } = api.by(tenant);
    for (const refused of [
      await mutate('redeliver', { deliveryId: '1' }, 'delivery { id }'),
      await mutate('updateWebhook', { id, url: 'https://10.0.0.1/' }, 'webhook { id }'),
      await mutate('createApiKey', { name: '', scopes: [] }, 'key'),
    ]) {
      expect(refused.errors).toHaveLength(1);
    }
    expect(await entries()).toHaveLength(before);
  });

  test('is paged from its end in the order in which it is read from its start', async () => {
    await makeWebhook();
    await makeWebhook();
    const page = async (paging: string) =>
      nodesOf((await api.by({ key: tenant.key }).read(`{ auditLog(${paging}) { edges { node { id } } } }`)).auditLog);
    const all = await page('first: 100');
    expect(all.length).toBeGreaterThanOrEqual(2);
    expect(await page('last: 100')).toEqual(all);
    expect(await page('last: 2')).toEqual(all.slice(-2));
    expect(await page('first: 2')).toEqual(all.slice(0, 2));
  });

  test('is filtered by action, target, key and time', async () => {
    const second = await makeKey(api.services, tenant.id, ['webhooks:write', 'webhooks:read', 'webhooks:secrets']);
    const one = (await makeWebhook()).id;
    const two = (await makeWebhook(second)).id;
    const ids = async (filter: object) => (await entries(filter)).map(({ targetId }) => targetId);
    const created = { action: 'WEBHOOK_CREATED' };
    expect(await ids(created)).toEqual([two, one]);
    expect(await ids({ targetType: 'WEBHOOK', targetId: one })).toEqual([one]);
    expect(await ids({ apiKeyId: String(second.id) })).toEqual([two]);
    expect(await ids({ ...created, since: '2100-01-01T00:00:00Z' })).toEqual([]);
    expect(await ids({ ...created, until: '2100-01-01T00:00:00Z' })).toEqual([two, one]);
    expect(await ids({ ...created, since: '0000-01-01T00:00:00Z' })).toEqual([two, one]);
    expect(await ids({ until: '0000-01-01T00:00:00Z' })).toEqual([]);
    expect(await ids({ since: '9999-12-31T23:59:59-23:59' })).toEqual([]);
    const wrong = await api.by(tenant).ask('{ auditLog(filter: {targetId: "x"}) { edges { cursor } } }');
    expect(wrong.errors[0].extensions).toMatchObject({
      code: 'BAD_USER_INPUT',
      errors: [{ path: ['filter', 'targetId'], code: 'invalid_id' }],
    });
  });

  test('is for administrators, each tenant’s its own', async () => {
    const reader = await makeKey(api.services, tenant.id, ['webhooks:read']);
    expect(codesOf(await api.by(reader).ask('{ auditLog { edges { cursor } } }'))).toEqual(['FORBIDDEN']);
    await makeTenant(api.services);
    expect((await entries()).map(({ action }) => action)).toEqual([
      'API_KEY_CREATED',
      'API_KEY_CREATED',
      'TENANT_CREATED',
    ]);
  });
});

describe('platform keys', () => {
  const byPlatform = { actor: 'PLATFORM_KEY', apiKeyId: gid.apiKey(platform.id) };
  const entered = () => entries({ action: 'TENANT_ENTERED' });

  test('leave a trace where they act: in the tenant’s log, the first time in an hour, whatever they do', async () => {
    const asking = { key: platform.key, tenant: tenant.id };
    await api.by(asking).read('{ webhooks { edges { cursor } } }');
    await api.by(asking).read('{ webhooks { edges { cursor } } }');
    expect(await entered()).toMatchObject([{ ...byPlatform, targetType: 'TENANT', targetId: gid.tenant(tenant.id) }]);
    await makeWebhook(asking);
    expect((await entries())[0]).toMatchObject({ action: 'WEBHOOK_CREATED', ...byPlatform });
  });

  test('leave it too when only an emit names the tenant', async () => {
    const input = { event: 'coupon.applied', tenantId: tenant.id, payload: { code: 'A', discount_type: 'B' } };
    await run('emitEvent', input, 'duplicate', platform);
    expect((await entries())[0]).toMatchObject({ action: 'TENANT_ENTERED', ...byPlatform });
  });

  test('that name no tenant read what was done to the installation itself', async () => {
    const { apiKey } = await run(
      'createApiKey',
      { name: 'ops', scopes: ['platform:admin'] },
      'apiKey { id }',
      platform,
    );
    const [latest] = await entries({}, platform);
    expect(latest).toMatchObject({ action: 'API_KEY_CREATED', ...byPlatform, targetId: apiKey.id });
  });
});
