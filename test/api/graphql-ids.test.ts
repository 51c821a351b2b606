import { type GraphQLType, getNamedType, isInputObjectType, isObjectType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { buildGraphqlSchema } from '../../src/api/graphql/schema.js';
import { idPrefixes } from '../../src/domain/ids/global-id.js';
import { PLATFORM_ADMIN } from '../../src/domain/keys/scopes.js';
import { emitMany, makeKey, makeWebhook } from '../support/factories.js';
import { codesOf, nodesOf, openGraphql } from '../support/graphql-api.js';
import { gid, numberIn } from '../support/ids.js';

const schema = await buildGraphqlSchema();
const { api, tenant, ask, mutate, read } = await openGraphql();
const webhookId = (await makeWebhook(api.services, tenant.id)).id;
const [eventId] = (await emitMany(api.services, tenant.id, 1)) as [number];
const { rows } = await api.owner.query('select id from hookwright.deliveries where tenant_id = $1', [tenant.id]);
const deliveryId = rows[0].id;

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
    expect(withoutNumber.map(({ name }) => name).sort()).toEqual(['Attempt', 'EventType', 'Release']);
  });

  test('takes and shows ids as ID alone, but for those of other systems', () => {
    const ofOthers = ['requestId', 'externalId', 'clientId'];
    const named = Object.values(schema.getTypeMap()).flatMap((type) =>
      isObjectType(type) || isInputObjectType(type)
        ? Object.values(type.getFields()).filter(({ name }) => /^id$|[a-z]Ids?$/.test(name) && name !== 'databaseId')
        : [],
    );
    const others = named.filter(
      ({ name, type }) => String(getNamedType(type as GraphQLType)) !== 'ID' && !ofOthers.includes(name),
    );
    expect(others).toEqual([]);
    expect(named.length).toBeGreaterThan(20);
  });
});

describe('an answer', () => {
  test('keeps a webhook, a key and a tenant of one number apart', async () => {
    const { webhooks, viewer } = await read(
      '{ webhooks { edges { node { id } } } viewer { tenant { id } apiKey { id } } }',
    );
    const ids = [nodesOf(webhooks)[0].id, viewer.tenant.id, viewer.apiKey.id];
    expect(new Set(ids.map(numberIn)).size).toBeLessThan(3); // the first of their tables, or near it
    expect(ids).toEqual([gid.webhook(webhookId), gid.tenant(tenant.id), gid.apiKey(tenant.keyId)]);
  });

  test('has the number that REST and the headers have as databaseId', async () => {
    const { deliveries } = await read(
      `{ deliveries { edges { node { id databaseId eventId webhookId event { id databaseId } webhook { id databaseId } } } } }`,
    );
    const event = { id: gid.event(eventId), databaseId: eventId };
    const webhook = { id: gid.webhook(webhookId), databaseId: webhookId };
    expect(nodesOf(deliveries)).toEqual([
      {
        id: gid.delivery(deliveryId),
        databaseId: deliveryId,
        eventId: event.id,
        webhookId: webhook.id,
        event,
        webhook,
      },
    ]);
  });

  test('names what is missing by its global id, in whatever form it was asked for', async () => {
    for (const id of ['999999', 'wh_999999']) {
      const { errors } = await ask('query ($id: ID!) { webhook(id: $id) { id } }', { id });
      expect(errors).toMatchObject([{ message: 'There is no webhook wh_999999.', extensions: { code: 'NOT_FOUND' } }]);
    }
    const again = await mutate('redeliver', { deliveryId }, 'delivery { id }');
    expect(again.errors[0].message).toContain(`Delivery dl_${deliveryId} is PENDING`);
  });
});

const ids = {
  webhook: gid.webhook(webhookId),
  event: gid.event(eventId),
  delivery: gid.delivery(deliveryId),
  apiKey: gid.apiKey(tenant.keyId),
  tenant: gid.tenant(tenant.id),
};
const since = '"2026-01-01T00:00:00Z"';
const coupon = 'event: "coupon.applied", idempotencyKey: "one", payload: {code: "A", discount_type: "B"}';

/** Fields that take an id as $id, and a good one. */
const takes: [field: string, operation: 'query' | 'mutation', id: string][] = [
  ['webhook(id: $id) { id }', 'query', ids.webhook],
  ['event(id: $id) { id }', 'query', ids.event],
  ['delivery(id: $id) { id }', 'query', ids.delivery],
  ['deliveries(filter: {webhookId: $id}) { edges { node { id } } }', 'query', ids.webhook],
  ['deliveries(filter: {eventId: $id}) { edges { node { id } } }', 'query', ids.event],
  [`stats(webhookId: $id, since: ${since}, resolution: DAY) { total { attempts } }`, 'query', ids.webhook],
  ['auditLog(filter: {apiKeyId: $id}) { edges { node { action } } }', 'query', ids.apiKey],
  ['updateWebhook(input: {id: $id, active: true}) { webhook { id } }', 'mutation', ids.webhook],
  ['releaseHeld(input: {webhookId: $id}) { webhook { id } }', 'mutation', ids.webhook],
  [`recoverWebhook(input: {id: $id, dryRun: true, filter: {since: ${since}}}) { total }`, 'mutation', ids.webhook],
  [`replayEvents(input: {webhookId: $id, dryRun: true, filter: {since: ${since}}}) { total }`, 'mutation', ids.webhook],
  ['recoverDeliveries(input: {dryRun: true, filter: {eventId: $id}}) { total }', 'mutation', ids.event],
  ['cancelDeliveries(input: {dryRun: true, filter: {webhookId: $id}}) { total }', 'mutation', ids.webhook],
  [`emitEvent(input: {tenantId: $id, ${coupon}}) { event { id } }`, 'mutation', ids.tenant],
];

describe('an argument', () => {
  test.each(takes)(
    'of %s takes a global id and the number alone, and both are the same',
    async (field, operation, id) => {
      const query = `${operation} ($id: ID!) { ${field} }`;
      const byId = await read(query, { id });
      expect(await read(query, { id: String(numberIn(id)) })).toEqual(byId);
    },
  );

  test.each(takes)(
    'of %s refuses the id of another type, and says which it is and which is needed',
    async (field, operation, id) => {
      const { errors } = await ask(`${operation} ($id: ID!) { ${field} }`, { id: 'op_7' });
      expect(errors[0].extensions).toMatchObject({ code: 'BAD_USER_INPUT', errors: [{ code: 'id_of_another_type' }] });
      const prefix = id.split('_')[0];
      expect(errors[0].message).toMatch(
        new RegExp(`is the id of a bulk operation; the id of an? [A-Za-z ]+ is needed, such as ${prefix}_12 or 12$`),
      );
    },
  );

  test('of the audit log names a thing of any type, whose global id says the type', async () => {
    const targetsOf = async (filter: string) => {
      const { auditLog } = await read(`{ auditLog(filter: ${filter}) { edges { node { targetType targetId } } } }`);
      return nodesOf(auditLog).map(({ targetId }) => targetId);
    };
    const id = ids.webhook;
    expect(await targetsOf(`{targetId: "${id}"}`)).toContain(id);
    expect(new Set(await targetsOf(`{targetId: "${id}"}`)).size).toBe(1);
    expect(await targetsOf(`{targetId: "${webhookId}"}`)).toContain(id);
    expect(await targetsOf(`{targetType: WEBHOOK, targetId: "${id}"}`)).toContain(id);
    const refused = async (filter: string) =>
      (await ask(`{ auditLog(filter: ${filter}) { edges { cursor } } }`)).errors[0].message;
    expect(await refused(`{targetType: TENANT, targetId: "${id}"}`)).toBe(
      'filter.targetId: is the id of a webhook; `targetType` is TENANT',
    );
    const none = 'is the id of an attempt; the audit log has no changes of that';
    expect(await refused('{targetId: "at_1_1"}')).toContain(none);
  });

  test('of the header Hookwright-Tenant may be a global id too', async () => {
    const platform = await makeKey(api.services, null, [PLATFORM_ADMIN]);
    const as = (named: string | number) => api.ask('{ viewer { tenant { id } } }', {}, { ...platform, tenant: named });
    expect((await as(gid.tenant(tenant.id))).data).toEqual((await as(tenant.id)).data);
    expect(codesOf(await as(gid.webhook(tenant.id)))).toEqual(['NOT_FOUND']);
  });
});
