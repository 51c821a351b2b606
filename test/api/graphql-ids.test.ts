import { type GraphQLType, getNamedType, isInputObjectType, isObjectType } from 'graphql';
import { afterAll, describe, expect, test } from 'vitest';
import { idPrefixes } from '../../src/domain/ids/global-id.js';
import { PLATFORM_ADMIN } from '../../src/domain/keys/scopes.js';
import { buildGraphqlSchema } from '../../src/graphql/schema.js';
import { emitMany, makeKey, makeTenant, makeWebhook } from '../support/factories.js';
import { codesOf, GraphqlApi } from '../support/graphql-api.js';
import { gid, numberIn } from '../support/ids.js';

const schema = await buildGraphqlSchema();
const api = await GraphqlApi.open();
const tenant = await makeTenant(api.services);
const webhookId = (await makeWebhook(api.services, tenant.id)).id;
const [eventId] = (await emitMany(api.services, tenant.id, 1)) as [number];
const { rows } = await api.owner.query('select id from hookwright.deliveries where tenant_id = $1', [tenant.id]);
const deliveryId = rows[0].id;
afterAll(() => api.close());

const ask = (query: string, variables: Record<string, unknown> = {}) => api.ask(query, variables, tenant);

describe('the schema', () => {
  test('has an id for each type that has a prefix, and a prefix for each type that has an id', () => {
    const withId = Object.values(schema.getTypeMap())
      .filter((type) => isObjectType(type) && type.getFields()['id'] !== undefined)
      .map(({ name }) => name);
    const nodeTypes = schema.getPossibleTypes(schema.getType('Node') as never).map(({ name }) => name);
    expect(withId.sort()).toEqual(idPrefixes.map(({ type }) => type));
    expect(nodeTypes.toSorted()).toEqual(idPrefixes.map(({ type }) => type));
  });

  test('shows the number of each type that has one as databaseId', () => {
    const withoutNumber = schema
      .getPossibleTypes(schema.getType('Node') as never)
      .filter((type) => String(type.getFields()['databaseId']?.type) !== 'SafeInt!');
    expect(withoutNumber.map(({ name }) => name).sort()).toEqual(['Attempt', 'EventType']);
  });

  test('takes and shows ids as ID alone', () => {
    const named = Object.values(schema.getTypeMap()).flatMap((type) =>
      isObjectType(type) || isInputObjectType(type)
        ? Object.values(type.getFields()).filter(({ name }) => /^id$|[a-z]Ids?$/.test(name) && name !== 'databaseId')
        : [],
    );
    const others = named.filter(
      ({ name, type }) => String(getNamedType(type as GraphQLType)) !== 'ID' && name !== 'requestId',
    );
    expect(others).toEqual([]);
    expect(named.length).toBeGreaterThan(20);
  });
});

describe('an answer', () => {
  test('keeps a webhook, a key and a tenant of one number apart', async () => {
    const { data } = await ask('{ webhooks { edges { node { id } } } viewer { tenant { id } apiKey { id } } }');
    const ids = [data.webhooks.edges[0].node.id, data.viewer.tenant.id, data.viewer.apiKey.id];
    expect(new Set(ids.map(numberIn)).size).toBeLessThan(3); // the first of their tables, or near it
    expect(ids).toEqual([gid.webhook(webhookId), gid.tenant(tenant.id), gid.apiKey(tenant.keyId)]);
  });

  test('has the number that REST and the headers have as databaseId', async () => {
    const { data, errors } = await ask(
      `{ deliveries { edges { node { id databaseId eventId webhookId event { id databaseId } webhook { id databaseId } } } } }`,
    );
    expect(errors).toEqual([]);
    expect(data.deliveries.edges[0].node).toEqual({
      id: gid.delivery(deliveryId),
      databaseId: deliveryId,
      eventId: gid.event(eventId),
      webhookId: gid.webhook(webhookId),
      event: { id: gid.event(eventId), databaseId: eventId },
      webhook: { id: gid.webhook(webhookId), databaseId: webhookId },
    });
  });

  test('names what is missing by its global id, in whatever form it was asked for', async () => {
    for (const id of ['999999', 'wh_999999']) {
      const { errors } = await ask('query ($id: ID!) { webhook(id: $id) { id } }', { id });
      expect(errors).toMatchObject([{ message: 'There is no webhook wh_999999.', extensions: { code: 'NOT_FOUND' } }]);
    }
    const again = await ask(`mutation { redeliver(input: {deliveryId: "${deliveryId}"}) { delivery { id } } }`);
    expect(again.errors[0].message).toContain(`Delivery dl_${deliveryId} is PENDING`);
  });
});

/** Fields that take an id, with what each answers to a good one. */
const takes: [name: string, query: string, id: () => string][] = [
  ['webhook', 'query ($id: ID!) { webhook(id: $id) { id } }', () => gid.webhook(webhookId)],
  ['event', 'query ($id: ID!) { event(id: $id) { id } }', () => gid.event(eventId)],
  ['delivery', 'query ($id: ID!) { delivery(id: $id) { id } }', () => gid.delivery(deliveryId)],
  [
    'deliveries(filter: {webhookId})',
    'query ($id: ID!) { deliveries(filter: {webhookId: $id}) { edges { node { id } } } }',
    () => gid.webhook(webhookId),
  ],
  [
    'deliveries(filter: {eventId})',
    'query ($id: ID!) { deliveries(filter: {eventId: $id}) { edges { node { id } } } }',
    () => gid.event(eventId),
  ],
  [
    'stats(webhookId)',
    'query ($id: ID!) { stats(webhookId: $id, since: "2026-01-01T00:00:00Z", resolution: DAY) { total { attempts } } }',
    () => gid.webhook(webhookId),
  ],
  [
    'auditLog(filter: {apiKeyId})',
    'query ($id: ID!) { auditLog(filter: {apiKeyId: $id}) { edges { node { action } } } }',
    () => gid.apiKey(tenant.keyId),
  ],
  [
    'updateWebhook',
    'mutation ($id: ID!) { updateWebhook(input: {id: $id, active: true}) { webhook { id } } }',
    () => gid.webhook(webhookId),
  ],
  [
    'releaseHeld',
    'mutation ($id: ID!) { releaseHeld(input: {webhookId: $id}) { webhook { id } } }',
    () => gid.webhook(webhookId),
  ],
  [
    'recoverWebhook',
    'mutation ($id: ID!) { recoverWebhook(input: {id: $id, dryRun: true, filter: {since: "2026-01-01T00:00:00Z"}}) { total } }',
    () => gid.webhook(webhookId),
  ],
  [
    'replayEvents',
    'mutation ($id: ID!) { replayEvents(input: {webhookId: $id, dryRun: true, filter: {since: "2026-01-01T00:00:00Z"}}) { total } }',
    () => gid.webhook(webhookId),
  ],
  [
    'cancelDeliveries',
    'mutation ($id: ID!) { cancelDeliveries(input: {dryRun: true, filter: {webhookId: $id}}) { total } }',
    () => gid.webhook(webhookId),
  ],
  [
    'emitEvent(input: {tenantId})',
    `mutation ($id: ID!) { emitEvent(input: {tenantId: $id, event: "coupon.applied", idempotencyKey: "one",
       payload: {code: "A", discount_type: "B"}}) { event { id } } }`,
    () => gid.tenant(tenant.id),
  ],
];

describe('an argument', () => {
  test.each(takes)('of %s takes a global id and the number alone, and both are the same', async (_name, query, id) => {
    const byId = await ask(query, { id: id() });
    expect(byId.errors).toEqual([]);
    expect((await ask(query, { id: String(numberIn(id())) })).data).toEqual(byId.data);
  });

  test.each(takes)(
    'of %s refuses the id of another type, and says which it is and which is needed',
    async (_name, query, id) => {
      const { errors } = await ask(query, { id: 'op_7' });
      expect(errors[0].extensions).toMatchObject({ code: 'BAD_USER_INPUT', errors: [{ code: 'id_of_another_type' }] });
      const prefix = id().split('_')[0];
      expect(errors[0].message).toMatch(
        new RegExp(`is the id of a bulk operation; the id of an? [A-Za-z ]+ is needed, such as ${prefix}_12 or 12$`),
      );
    },
  );

  test('of the audit log names a thing of any type, whose global id says the type', async () => {
    const idsOf = async (filter: string) => {
      const { data, errors } = await ask(`{ auditLog(filter: ${filter}) { edges { node { targetType targetId } } } }`);
      expect(errors).toEqual([]);
      return data.auditLog.edges.map(({ node }: { node: { targetId: string } }) => node.targetId);
    };
    const id = gid.webhook(webhookId);
    expect(await idsOf(`{targetId: "${id}"}`)).toContain(id);
    expect(new Set(await idsOf(`{targetId: "${id}"}`)).size).toBe(1);
    expect(await idsOf(`{targetId: "${webhookId}"}`)).toContain(id);
    expect(await idsOf(`{targetType: WEBHOOK, targetId: "${id}"}`)).toContain(id);
    const refused = async (filter: string) =>
      (await ask(`{ auditLog(filter: ${filter}) { edges { cursor } } }`)).errors[0].message;
    expect(await refused(`{targetType: TENANT, targetId: "${id}"}`)).toBe(
      'filter.targetId: is the id of a webhook; `targetType` is TENANT',
    );
    expect(await refused('{targetId: "ev_1"}')).toContain(
      'is the id of an event; the audit log has no changes of that',
    );
  });

  test('of the header Hookwright-Tenant may be a global id too', async () => {
    const platform = await makeKey(api.services, null, [PLATFORM_ADMIN]);
    const as = (named: string | number) => api.ask('{ viewer { tenant { id } } }', {}, { ...platform, tenant: named });
    expect((await as(gid.tenant(tenant.id))).data).toEqual((await as(tenant.id)).data);
    expect(codesOf(await as(gid.webhook(tenant.id)))).toEqual(['NOT_FOUND']);
  });
});
