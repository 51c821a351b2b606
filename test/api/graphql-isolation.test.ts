import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SCOPES, type Scope } from '../../src/domain/keys/scopes.js';
import { emitMany, makeKey, makeTenant, makeWebhook, type TestTenant } from '../support/factories.js';
import { codesOf, GraphqlApi } from '../support/graphql-api.js';
import { documents } from '../support/graphql-documents.js';
import { gid, numberIn } from '../support/ids.js';

let api: GraphqlApi;
let tenant: TestTenant;
let platform: { id: number; key: string };

beforeAll(async () => {
  api = await GraphqlApi.open();
  tenant = await makeTenant(api.services);
  platform = await makeKey(api.services, null, ['platform:admin']);
});
afterAll(() => api?.close());

const viewer = (key: string | undefined, named?: number | string) =>
  api.ask(documents.viewer, {}, named === undefined ? { key } : { key, tenant: named });
const createKey = (input: Record<string, unknown>, key: string, named?: number) =>
  api.ask(documents.createApiKey, { input }, named === undefined ? { key } : { key, tenant: named });
describe('scopes', () => {
  const entryPoints: [field: string, operation: string, scopes: Scope[]][] = [
    ['webhook', '{ webhook(id: "1") { id } }', ['webhooks:read']],
    ['webhooks', '{ webhooks { edges { cursor } } }', ['webhooks:read']],
    ['event', '{ event(id: "1") { id } }', ['events:read']],
    ['events', '{ events { edges { cursor } } }', ['events:read']],
    ['delivery', '{ delivery(id: "1") { id } }', ['deliveries:read']],
    ['deliveries', '{ deliveries { edges { cursor } } }', ['deliveries:read']],
    ['apiKeys', '{ apiKeys { edges { cursor } } }', ['keys:admin']],
    ['createWebhook', 'mutation { createWebhook(input: {url: "", eventTypes: []}) { secret } }', ['webhooks:write']],
    [
      'updateWebhook',
      'mutation { updateWebhook(input: {id: "1", active: true}) { webhook { id } } }',
      ['webhooks:write'],
    ],
    ['deleteWebhook', 'mutation { deleteWebhook(input: {id: "0"}) { deletedWebhookId } }', ['webhooks:write']],
    ['testWebhook', 'mutation { testWebhook(input: {id: "0"}) { delivery { id } } }', ['webhooks:write']],
    ['releaseHeld', 'mutation { releaseHeld(input: {webhookId: "0"}) { webhook { id } } }', ['webhooks:write']],
    ['emitEvent', 'mutation { emitEvent(input: {event: "a.b", payload: {}}) { duplicate } }', ['events:emit']],
    ['emitEvents', 'mutation { emitEvents(input: {events: []}) { results { duplicate } } }', ['events:emit']],
    ['redeliver', 'mutation { redeliver(input: {deliveryId: "0"}) { delivery { id } } }', ['deliveries:write']],
    ['cancelDelivery', 'mutation { cancelDelivery(input: {id: "0"}) { delivery { id } } }', ['deliveries:write']],
    [
      'recoverWebhook',
      'mutation { recoverWebhook(input: {id: "0", filter: {since: "2025-01-01T00:00:00+00:00"}}) { total } }',
      ['deliveries:write'],
    ],
    [
      'replayEvents',
      'mutation { replayEvents(input: {webhookId: "0", filter: {since: "2025-01-01T00:00:00+00:00"}}) { total } }',
      ['deliveries:write'],
    ],
    ['cancelDeliveries', 'mutation { cancelDeliveries(input: {filter: {}}) { total } }', ['deliveries:write']],
    [
      'cancelBulkOperation',
      'mutation { cancelBulkOperation(input: {id: "0"}) { bulkOperation { id } } }',
      ['deliveries:write'],
    ],
    [
      'resumeBulkOperation',
      'mutation { resumeBulkOperation(input: {id: "0"}) { bulkOperation { id } } }',
      ['deliveries:write'],
    ],
    ['bulkOperation', '{ bulkOperation(id: "1") { id } }', ['deliveries:read']],
    ['bulkOperations', '{ bulkOperations { edges { cursor } } }', ['deliveries:read']],
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
    const { id: webhookId } = await makeWebhook(api.services, owner.id);
    const [eventId] = await emitMany(api.services, owner.id, 1);
    const { key } = await makeKey(api.services, owner.id, ['deliveries:read']);
    const { data, errors } = await api.ask(
      '{ deliveries { edges { node { status eventId event { body } webhookId webhook { url } } } } }',
      {},
      { key },
    );
    const ids = { eventId: gid.event(eventId!), webhookId: gid.webhook(webhookId) };
    expect(data.deliveries.edges[0].node).toEqual({ status: 'PENDING', ...ids, event: null, webhook: null });
    expect(codesOf({ errors } as never)).toEqual(['FORBIDDEN', 'FORBIDDEN']);
  });
});

describe('tenants and platform keys', () => {
  test("another tenant's ids are unknown at every entry point", async () => {
    const owner = await makeTenant(api.services);
    const { id: webhookId } = await makeWebhook(api.services, owner.id);
    const [eventId] = await emitMany(api.services, owner.id, 1);
    const seen = await api.ask(`{ event(id: "${eventId}") { deliveries { edges { node { id } } } } }`, {}, owner);
    const deliveryId = seen.data.event.deliveries.edges[0].node.id;
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
    const stranger = await makeTenant(api.services);
    const read = (list: string) => api.ask(`{ list: ${list} { edges { node { id } } } }`, {}, stranger);
    for (const list of ['webhooks', 'events', 'deliveries']) {
      expect((await read(list)).data.list.edges, list).toEqual([]);
    }
    for (const filter of [
      `webhookId: "${webhookId}"`,
      `eventId: "${eventId}"`,
      'webhookId: "999999"',
      'eventId: "5"',
    ]) {
      const answer = await read(`deliveries(filter: {${filter}})`);
      expect(answer.data, filter).toEqual({ list: null });
      expect(codesOf(answer)).toEqual(['NOT_FOUND']);
    }
    const after = await api.ask(
      `{ webhook(id: "${webhookId}") { active } apiKeys { edges { node { id } } } }`,
      {},
      owner,
    );
    const apiKeys = { edges: [{ node: { id: gid.apiKey(owner.keyId) } }] };
    expect(after.data).toEqual({ webhook: { active: true }, apiKeys });
  });

  test("a tenant's key may name its own tenant in the header, and no other", async () => {
    const other = await makeTenant(api.services);
    expect((await viewer(tenant.key, tenant.id)).errors).toEqual([]);
    for (const named of [other.id, 'x', '0', '999999']) {
      const answer = await viewer(tenant.key, named);
      expect(answer.status).toBe(403); // before there is a GraphQL request at all
      expect(codesOf(answer)).toEqual(['FORBIDDEN']);
    }
  });

  test('a platform key makes tenants and acts for them by the header', async () => {
    const made = await api.ask(
      'mutation { createTenant(input: {name: "Acme"}) { tenant { id name createdAt } } }',
      {},
      platform,
    );
    expect(made.data.createTenant.tenant).toMatchObject({ name: 'Acme' });
    const id = numberIn(made.data.createTenant.tenant.id);
    const again = await api.ask('mutation { createTenant(input: {name: "Acme"}) { tenant { id } } }', {}, platform);
    expect(again.errors[0].extensions).toEqual({ code: 'CONFLICT', reason: 'name_taken' });
    const key = await createKey({ name: 'first', scopes: ['webhooks:read', 'webhooks:write'] }, platform.key, id);
    expect((await viewer(key.data.createApiKey.key)).data.viewer.tenant).toEqual({ id: gid.tenant(id) });
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

  test.each(['', '  ', 'a'.repeat(201), 'a\u0000b'])('a tenant cannot be named %j', async (name) => {
    const answer = await api.ask(
      'mutation ($name: String!) { createTenant(input: {name: $name}) { tenant { id } } }',
      { name },
      platform,
    );
    expect(answer.errors[0].extensions).toMatchObject({
      code: 'BAD_USER_INPUT',
      errors: [{ path: ['input', 'name'] }],
    });
  });
});
