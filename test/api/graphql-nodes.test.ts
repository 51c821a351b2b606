import { afterAll, describe, expect, test } from 'vitest';
import { attemptKey, globalId, idPrefixes, type NodeType } from '../../src/domain/ids/global-id.js';
import { PLATFORM_ADMIN, SCOPES, type Scope } from '../../src/domain/keys/scopes.js';
import {
  emitMany,
  makeKey,
  makePortalSession,
  makeTenant,
  makeWebhook,
  type TestTenant,
} from '../support/factories.js';
import { codesOf, dataOf, GraphqlApi } from '../support/graphql-api.js';
import { gid } from '../support/ids.js';

const api = await GraphqlApi.open();
const owner = await makeTenant(api.services);
const stranger = await makeTenant(api.services);
const platform = await makeKey(api.services, null, [PLATFORM_ADMIN]);
const own: Record<NodeType, string> = await oneOfEach(owner);
await oneOfEach(stranger);
afterAll(() => api.close());

/** Makes an object of each type for a tenant. */
async function oneOfEach(tenant: TestTenant): Promise<Record<NodeType, string>> {
  const { id: webhookId } = await makeWebhook(api.services, tenant.id);
  const [eventId] = await emitMany(api.services, tenant.id, 1);
  const row = async (sql: string) => (await api.owner.query<{ id: number }>(sql, [tenant.id])).rows[0]!.id;
  const deliveryId = await row('select id from hookwright.deliveries where tenant_id = $1');
  await row(
    `insert into hookwright.attempts (delivery_id, number, tenant_id, url, started_at, duration_ms, request_headers)
     select id, 1, tenant_id, 'https://a.example.com/', now(), 1, '{}' from hookwright.deliveries where tenant_id = $1
     returning delivery_id as id`,
  );
  const operationId = await row(
    `insert into hookwright.bulk_operations (tenant_id, kind, webhook_id, filter, from_id, to_id, cursor_id, total, actor)
     select tenant_id, 'REPLAY_EVENTS', id, '{}', 0, 1, 0, 0, 'SERVICE' from hookwright.webhooks where tenant_id = $1
     returning id`,
  );
  const release = async () => {
    await api.owner.query(`insert into hookwright.releases (name) values ('2026-11') on conflict do nothing`);
    return '2026-11';
  };
  return {
    ApiKey: gid.apiKey(tenant.keyId),
    Attempt: globalId('Attempt', attemptKey(deliveryId, 1)),
    AuditEntry: globalId(
      'AuditEntry',
      await row('select max(id) as id from hookwright.audit_log where tenant_id = $1'),
    ),
    BulkOperation: gid.bulkOperation(operationId),
    Delivery: gid.delivery(deliveryId),
    Event: gid.event(eventId!),
    EventType: gid.eventType('coupon.applied'),
    NoticeRecipient: globalId(
      'NoticeRecipient',
      await row(
        `insert into hookwright.notice_recipients (tenant_id, address, topics)
         values ($1, 'ops@example.com', '{DISABLED}') returning id`,
      ),
    ),
    PortalSession: gid.portalSession(await makePortalSession(api.services, tenant.id)),
    Release: globalId('Release', await release()),
    ScheduledEvent: globalId(
      'ScheduledEvent',
      await row(
        `insert into hookwright.scheduled_events (tenant_id, event_type, body, deliver_at, due_at)
         values ($1, 'coupon.applied', '{}', now() + interval '1 day', now() + interval '1 day') returning id`,
      ),
    ),
    Tenant: gid.tenant(tenant.id),
    Webhook: gid.webhook(webhookId),
  };
}

const types = idPrefixes.map(({ type }) => type);
/** The scope that the field for objects of the type requires. Null when any key is enough. */
const scopes: Record<NodeType, Scope | null> = {
  ApiKey: 'keys:admin',
  Attempt: 'deliveries:read',
  AuditEntry: 'keys:admin',
  BulkOperation: 'deliveries:read',
  Delivery: 'deliveries:read',
  Event: 'events:read',
  EventType: null,
  NoticeRecipient: 'webhooks:write',
  PortalSession: 'keys:admin',
  Release: null,
  ScheduledEvent: 'events:read',
  Tenant: PLATFORM_ADMIN,
  Webhook: 'webhooks:read',
};
const typesOfTenants = types.filter((type) => !['EventType', 'Release', 'Tenant'].includes(type));

type Asking = Parameters<typeof api.by>[0];
const node = (id: string, asking: Asking) =>
  api.by(asking).ask('query ($id: ID!) { node(id: $id) { __typename id } }', { id });
const nodes = (ids: readonly string[], asking: Asking) =>
  api.by(asking).ask('query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }', { ids });
/** A platform key that acts for the owner: it has every scope. */
const asOwner = { key: platform.key, tenant: owner.id };
/** The answer to an id without an object. */
const nothing = { data: { node: null }, errors: [] };

describe('node', () => {
  test.each(types)('finds one of type %s by the id that the type shows', async (type) => {
    const { node: found } = dataOf(await node(own[type], asOwner));
    expect(found).toEqual({ __typename: type, id: own[type] });
  });

  test('leads to all fields of the type', async () => {
    const data = await api.by(owner).read(
      `query ($webhook: ID!, $attempt: ID!, $type: ID!) {
         webhook: node(id: $webhook) { ... on Webhook { url databaseId deliveries(first: 1) { edges { node { id } } } } }
         attempt: node(id: $attempt) { ... on Attempt { number url requestBody } }
         type: node(id: $type) { ... on EventType { name schema versions { version } } } }`,
      { webhook: own.Webhook, attempt: own.Attempt, type: own.EventType },
    );
    expect(data).toMatchObject({
      webhook: { url: 'https://receiver.example.com/', deliveries: { edges: [{ node: { id: own.Delivery } }] } },
      attempt: { number: 1, requestBody: '{"code":"SUMMER","discount_type":"percent"}' },
      type: { name: 'coupon.applied', versions: [{ version: 1 }] },
    });
    expect(gid.webhook(data.webhook.databaseId)).toBe(own.Webhook);
  });

  test.each(typesOfTenants)('is null and nothing else for a %s of another tenant', async (type) => {
    expect(await node(own[type], stranger)).toMatchObject(nothing);
    expect(await node(own[type], { key: platform.key, tenant: stranger.id })).toMatchObject(nothing);
  });

  test.each(types)('is null and nothing else for a %s that there never was', async (type) => {
    const id = type === 'EventType' ? 'et_no.such' : own[type].replace(/\d+$/, '999999');
    expect(await node(id, asOwner)).toMatchObject(nothing);
  });

  test.each(types)('needs for a %s what the field of that type needs', async (type) => {
    const scope = scopes[type];
    const others = SCOPES.filter((one) => one !== scope);
    const refused = await node(own[type], await makeKey(api.services, owner.id, others));
    if (scope === null) {
      expect(refused.data.node.id).toBe(own[type]);
      return;
    }
    expect(refused.data).toEqual({ node: null });
    expect(refused.errors).toMatchObject([
      { path: ['node'], extensions: { code: 'FORBIDDEN', reason: 'scope_missing' } },
    ]);
    if (scope !== PLATFORM_ADMIN) {
      const enough = await makeKey(api.services, owner.id, [scope]);
      expect((await node(own[type], enough)).data.node).toEqual({ __typename: type, id: own[type] });
    }
  });

  test('says the same of a tenant to a tenant’s key, whether there is one and whose it is', async () => {
    const answers = await Promise.all(
      [own.Tenant, gid.tenant(stranger.id), gid.tenant(999_999)].map((id) => node(id, owner)),
    );
    expect(new Set(answers.map(({ data, errors }) => JSON.stringify({ data, errors }))).size).toBe(1);
  });

  test('shows a platform key that names no tenant what belongs to the installation, and nothing of tenants', async () => {
    const key = await node(gid.apiKey(platform.id), platform);
    expect(key.data.node).toEqual({ __typename: 'ApiKey', id: gid.apiKey(platform.id) });
    expect(await node(own.ApiKey, platform)).toMatchObject(nothing);
    expect(codesOf(await node(own.Webhook, platform))).toEqual(['FORBIDDEN']);
    expect((await node(own.Tenant, platform)).data.node.id).toBe(own.Tenant);
  });

  test('is null once a webhook is deleted', async () => {
    const { id } = await makeWebhook(api.services, owner.id);
    expect((await node(gid.webhook(id), owner)).data.node).not.toBeNull();
    await api.by(owner).mutate('deleteWebhook', { id }, 'deletedWebhookId');
    expect(await node(gid.webhook(id), owner)).toMatchObject(nothing);
  });

  test.each(['12', 'x', '', 'xx_1', 'wh_0'])('refuses %j, which is not a global id', async (id) => {
    const { data, errors } = await node(id, owner);
    expect(data).toEqual({ node: null });
    expect(errors).toMatchObject([
      {
        message: 'id: is not a global id, such as wh_12',
        extensions: { code: 'BAD_USER_INPUT', errors: [{ path: ['id'], code: 'invalid_id' }] },
      },
    ]);
  });
});

describe('nodes', () => {
  test('has an object for each id in the order of the ids, and null where there is none', async () => {
    const foreign = gid.apiKey(stranger.keyId);
    const ids = [own.Delivery, foreign, own.Webhook, 'wh_999999', own.EventType, own.Delivery];
    const found: ({ id: string } | null)[] = dataOf(await nodes(ids, owner)).nodes;
    const expected = [own.Delivery, null, own.Webhook, null, own.EventType, own.Delivery];
    expect(found.map((each) => each?.id ?? null)).toEqual(expected);
  });

  test('is refused at the places alone that the key may not read', async () => {
    const reader = await makeKey(api.services, owner.id, ['webhooks:read']);
    const { status, data, errors } = await nodes([own.Webhook, own.Event, own.EventType], reader);
    expect(status).toBe(200);
    expect(data.nodes.map((each: object | null) => each !== null)).toEqual([true, false, true]);
    expect(errors).toMatchObject([{ path: ['nodes', 1], extensions: { code: 'FORBIDDEN' } }]);
  });

  test('takes at most 100 ids, each of them a global one', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => gid.webhook(1_000 + index));
    expect((await nodes(many(100), owner)).data.nodes).toHaveLength(100);
    expect((await nodes(many(101), owner)).errors).toMatchObject([
      { message: 'ids: must have at most 100 ids', extensions: { code: 'BAD_USER_INPUT' } },
    ]);
    const { data, errors } = await nodes([own.Webhook, '7', own.Event], owner);
    expect(data.nodes.map((each: object | null) => each !== null)).toEqual([true, false, true]);
    expect(errors).toMatchObject([
      { path: ['nodes', 1], extensions: { errors: [{ path: ['ids', 1], code: 'invalid_id' }] } },
    ]);
    expect((await nodes([], owner)).data).toEqual({ nodes: [] });
  });

  test('costs as much as its ids lead to', async () => {
    const selection = '... on Webhook { deliveries(first: 100) { edges { node { event { id } } } } }';
    const ask = (count: number) =>
      api.ask(
        `query ($ids: [ID!]!) { nodes(ids: $ids) { ${selection} } }`,
        { ids: Array(count).fill(own.Webhook) },
        owner,
      );
    expect((await ask(10)).errors).toEqual([]);
    expect((await ask(80)).errors[0].message).toMatch(/its cost is \d+, at most 15000 is allowed/);
    const written = `{ nodes(ids: ${JSON.stringify(Array(80).fill(own.Webhook))}) { ${selection} } }`;
    expect((await api.by(owner).ask(written)).errors[0].message).toMatch(/its cost is/);
  });
});
