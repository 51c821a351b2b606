import { afterAll, describe, expect, test } from 'vitest';
import { makeKey, makeTenant, type TestTenant } from '../support/factories.js';
import { codesOf, GraphqlApi } from '../support/graphql-api.js';
import { gid } from '../support/ids.js';

let tenant: TestTenant;

const api = await GraphqlApi.open();
afterAll(() => api.close());

const fields = 'id action actor apiKeyId targetType targetId before after requestId createdAt';

async function entries(
  { key, named, filter = '' }: { key: string; named?: number; filter?: string } = { key: tenant.key },
) {
  const asking = named === undefined ? { key } : { key, tenant: named };
  const { data, errors } = await api.ask(`{ auditLog${filter} { edges { node { ${fields} } } } }`, {}, asking);
  expect(errors).toEqual([]);
  return data.auditLog.edges.map(({ node }: { node: object }) => node);
}

async function run(operation: string, key = tenant.key, named?: number) {
  const { data, errors } = await api.ask(
    `mutation { result: ${operation} }`,
    {},
    named === undefined ? { key } : { key, tenant: named },
  );
  expect(errors).toEqual([]);
  return data.result;
}

describe('the audit log', () => {
  test('has a release of what was kept, also one by updateWebhook', async () => {
    tenant = await makeTenant(api.services);
    const { webhook } = await run(
      'createWebhook(input: {url: "https://a.example.com/", eventTypes: ["coupon.applied"]}) { webhook { id } }',
    );
    const update = (what: string) => run(`updateWebhook(input: {id: "${webhook.id}", ${what}}) { webhook { id } }`);
    await update('active: false');
    await update('active: true, held: KEEP');
    await update('active: true, held: RELEASE');
    expect((await entries())[0]).toMatchObject({
      action: 'HELD_RELEASED',
      targetId: webhook.id,
      actor: 'TENANT_KEY',
      apiKeyId: gid.apiKey(tenant.keyId),
    });
  });

  test('tells who changed what, from what to what, newest first', async () => {
    tenant = await makeTenant(api.services);
    const { webhook, secret } = await run(
      'createWebhook(input: {url: "https://a.example.com/", eventTypes: ["coupon.applied"]}) { secret webhook { id } }',
    );
    const { id } = webhook;
    await run(`updateWebhook(input: {id: "${id}", url: "https://b.example.com/"}) { webhook { id } }`);
    await run(`updateWebhook(input: {id: "${id}", active: false}) { webhook { id } }`);
    await run(`updateWebhook(input: {id: "${id}", active: true, held: KEEP}) { webhook { id } }`);
    await run(`releaseHeld(input: {webhookId: "${id}"}) { webhook { id } }`);
    const rotated = await run(`rotateWebhookSecret(input: {id: "${id}", overlapHours: 1}) { secret }`);
    const made = await run('createApiKey(input: {name: "ci", scopes: ["events:emit"]}) { key apiKey { id } }');
    await run(`revokeApiKey(input: {id: "${made.apiKey.id}"}) { apiKey { id } }`);
    await run(`deleteWebhook(input: {id: "${id}"}) { deletedWebhookId }`);

    const log = await entries();
    const onWebhook = { targetType: 'WEBHOOK', targetId: id };
    const by = { actor: 'TENANT_KEY', apiKeyId: gid.apiKey(tenant.keyId), requestId: 'test' };
    expect(log.slice(0, 9)).toMatchObject([
      { action: 'WEBHOOK_DELETED', ...onWebhook, ...by, before: { url: 'https://b.example.com/' }, after: null },
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
      {
        action: 'WEBHOOK_UPDATED',
        before: { url: 'https://a.example.com/' },
        after: { url: 'https://b.example.com/' },
      },
      {
        action: 'WEBHOOK_CREATED',
        before: null,
        after: { url: 'https://a.example.com/', eventTypes: ['coupon.applied'] },
      },
    ]);
    const text = JSON.stringify(log);
    for (const plain of [secret, rotated.secret, made.key]) {
      expect(text).not.toContain(plain);
    }
  });

  test('says nothing of a change that changed nothing, or was refused', async () => {
    const owner = await makeTenant(api.services);
    const { webhook } = await run(
      'createWebhook(input: {url: "https://a.example.com/", eventTypes: ["*"]}) { webhook { id } }',
      owner.key,
    );
    const before = (await entries(owner)).length;
    await run(
      `updateWebhook(input: {id: "${webhook.id}", active: true, url: "https://a.example.com/", eventTypes: ["*"]}) { webhook { id } }`,
      owner.key,
    );
    await run(`releaseHeld(input: {webhookId: "${webhook.id}"}) { webhook { id } }`, owner.key);
    for (const refused of [
      `redeliver(input: {deliveryId: "1"}) { delivery { id } }`,
      `updateWebhook(input: {id: "${webhook.id}", url: "https://10.0.0.1/"}) { webhook { id } }`,
      'createApiKey(input: {name: "", scopes: []}) { key }',
    ]) {
      expect((await api.ask(`mutation { ${refused} }`, {}, owner)).errors).toHaveLength(1);
    }
    expect(await entries(owner)).toHaveLength(before);
  });

  test('is filtered by action, target, key and time', async () => {
    const owner = await makeTenant(api.services);
    const second = await makeKey(api.services, owner.id, ['webhooks:write', 'webhooks:read']);
    const make = (key: string) =>
      run('createWebhook(input: {url: "https://a.example.com/", eventTypes: ["*"]}) { webhook { id } }', key);
    const one = (await make(owner.key)).webhook.id;
    const two = (await make(second.key)).webhook.id;
    const ids = async (filter: string) =>
      (await entries({ ...owner, filter: `(filter: ${filter})` })).map(
        ({ targetId }: { targetId: string }) => targetId,
      );
    expect(await ids('{action: WEBHOOK_CREATED}')).toEqual([two, one]);
    expect(await ids(`{targetType: WEBHOOK, targetId: "${one}"}`)).toEqual([one]);
    expect(await ids(`{apiKeyId: "${second.id}"}`)).toEqual([two]);
    expect(await ids('{action: WEBHOOK_CREATED, since: "2100-01-01T00:00:00Z"}')).toEqual([]);
    expect(await ids('{action: WEBHOOK_CREATED, until: "2100-01-01T00:00:00Z"}')).toEqual([two, one]);
    expect(await ids('{action: WEBHOOK_CREATED, since: "0000-01-01T00:00:00Z"}')).toEqual([two, one]);
    expect(await ids('{until: "0000-01-01T00:00:00Z"}')).toEqual([]);
    expect(await ids('{since: "9999-12-31T23:59:59-23:59"}')).toEqual([]);
    const wrong = await api.ask('{ auditLog(filter: {targetId: "x"}) { edges { cursor } } }', {}, owner);
    expect(wrong.errors[0].extensions).toMatchObject({
      code: 'BAD_USER_INPUT',
      errors: [{ path: ['filter', 'targetId'], code: 'invalid_id' }],
    });
  });

  test('is for administrators, each tenant’s its own', async () => {
    const reader = await makeKey(api.services, tenant.id, ['webhooks:read']);
    expect(codesOf(await api.ask('{ auditLog { edges { cursor } } }', {}, reader))).toEqual(['FORBIDDEN']);
    const other = await makeTenant(api.services);
    const targets = (await entries(other)).map(({ action }: { action: string }) => action);
    expect(targets).toEqual(['API_KEY_CREATED', 'TENANT_CREATED']);
  });
});

describe('platform keys', () => {
  test('leave a trace where they act: in the tenant’s log, the first time in an hour, whatever they do', async () => {
    const platform = await makeKey(api.services, null, ['platform:admin']);
    const owner = await makeTenant(api.services);
    const read = () => api.ask('{ webhooks { edges { cursor } } }', {}, { ...platform, tenant: owner.id });
    expect((await read()).errors).toEqual([]);
    await read();
    const visits = await entries({ ...owner, filter: '(filter: {action: TENANT_ENTERED})' });
    expect(visits).toMatchObject([
      {
        actor: 'PLATFORM_KEY',
        apiKeyId: gid.apiKey(platform.id),
        targetType: 'TENANT',
        targetId: gid.tenant(owner.id),
      },
    ]);
    await run(
      'createWebhook(input: {url: "https://a.example.com/", eventTypes: ["*"]}) { webhook { id } }',
      platform.key,
      owner.id,
    );
    expect((await entries(owner))[0]).toMatchObject({ action: 'WEBHOOK_CREATED', actor: 'PLATFORM_KEY' });
  });

  test('leave it too when only an emit names the tenant', async () => {
    const platform = await makeKey(api.services, null, ['platform:admin']);
    const owner = await makeTenant(api.services);
    await run(
      `emitEvent(input: {event: "coupon.applied", tenantId: "${owner.id}", payload: {code: "A", discount_type: "B"}}) { duplicate }`,
      platform.key,
    );
    expect((await entries(owner))[0]).toMatchObject({ action: 'TENANT_ENTERED', actor: 'PLATFORM_KEY' });
  });

  test('that name no tenant read what was done to the installation itself', async () => {
    const platform = await makeKey(api.services, null, ['platform:admin']);
    const made = await run(
      'createApiKey(input: {name: "ops", scopes: ["platform:admin"]}) { apiKey { id } }',
      platform.key,
    );
    const [latest] = await entries(platform);
    expect(latest).toMatchObject({
      action: 'API_KEY_CREATED',
      actor: 'PLATFORM_KEY',
      apiKeyId: gid.apiKey(platform.id),
      targetId: made.apiKey.id,
    });
  });
});
