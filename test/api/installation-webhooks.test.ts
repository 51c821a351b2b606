import { afterAll, describe, expect, test } from 'vitest';
import { INSTALLATION_TENANT } from '../../src/domain/installation/installation-tenant.js';
import { makeKey, makeTenant, makeWebhook } from '../support/factories.js';
import { type Answer, codesOf, dataOf, GraphqlApi, nodesOf } from '../support/graphql-api.js';
import { gid } from '../support/ids.js';

const api = await GraphqlApi.open();
afterAll(() => api.close());
const platform = await makeKey(api.services, null, ['platform:admin']);
const tenant = await makeTenant(api.services);
const { mutate, read } = api.by(platform);
const installation = api.by({ key: platform.key, tenant: 'installation' });
const own = api.by(tenant);

const url = 'https://siem.example.com/in';
const create = (input: object = {}, by = installation) =>
  by.mutate(
    'createWebhook',
    { url, eventTypes: ['*'], scope: 'INSTALLATION', ...input },
    'webhook { id databaseId url active backlog { due } } secret',
  );
const created = async (input: object = {}) => dataOf(await create(input)).createWebhook;
const reasonsOf = ({ errors }: Answer) => errors.map(({ extensions }) => extensions.reason);

describe('a webhook of the installation', () => {
  test('is made by a platform key that names the installation, with a secret as ever', async () => {
    const { webhook, secret } = dataOf(
      await installation.mutate(
        'createWebhook',
        { url, eventTypes: ['audit.entry', 'webhook.disabled'], scope: 'INSTALLATION' },
        'webhook { id url active eventTypes } secret',
      ),
    ).createWebhook;
    expect(webhook).toEqual({
      id: expect.stringMatching(/^wh_\d+$/),
      url,
      active: true,
      eventTypes: ['audit.entry', 'webhook.disabled'],
    });
    expect(secret).toMatch(/^whsec_/);
  });

  test('is the same one for the same idempotency key', async () => {
    const make = () =>
      installation.mutate(
        'createWebhook',
        { url, eventTypes: ['*'], scope: 'INSTALLATION', idempotencyKey: 'once' },
        'webhook { id } secret',
      );
    const first = dataOf(await make());
    expect(dataOf(await make())).toEqual(first);
  });

  test('is read, changed, tested, rotated and deleted by requests that name the installation', async () => {
    const make = { url, eventTypes: ['*'] };
    const { createWebhook } = dataOf(
      await installation.mutate('createWebhook', make, 'webhook { id databaseId version }'),
    );
    const { id, databaseId } = createWebhook.webhook;
    const list = nodesOf((await installation.read('{ webhooks { edges { node { id } } } }')).webhooks);
    expect(list.map((webhook) => webhook.id)).toContain(id);
    const changed = await installation.mutate('updateWebhook', { id, name: 'SIEM' }, 'webhook { name }');
    expect(dataOf(changed).updateWebhook.webhook).toEqual({ name: 'SIEM' });
    for (const eventType of [null, 'audit.entry', 'webhook.disabled']) {
      const sent = await installation.mutate('testWebhook', { id, eventType }, 'delivery { eventType event { body } }');
      const { delivery } = dataOf(sent).testWebhook;
      expect(delivery.eventType).toBe(eventType ?? 'webhook.test');
      expect(Object.keys(JSON.parse(delivery.event.body)).includes('tenant_id')).toBe(eventType !== null);
    }
    const rotated = dataOf(await installation.mutate('rotateWebhookSecret', { id }, 'secret'));
    expect(rotated.rotateWebhookSecret.secret).toMatch(/^whsec_/);
    expect(
      nodesOf((await installation.read('{ deliveries { edges { node { webhookId } } } }')).deliveries),
    ).toContainEqual({ webhookId: id });
    const log = '{ auditLog { edges { node { action targetId } } } }';
    expect(nodesOf((await installation.read(log)).auditLog)).toContainEqual({
      action: 'WEBHOOK_UPDATED',
      targetId: gid.webhook(databaseId),
    });
    expect(dataOf(await installation.mutate('deleteWebhook', { id }, 'deletedWebhookId'))).toEqual({
      deleteWebhook: { deletedWebhookId: id },
    });
  });

  test('is nobody else’s: other keys, and requests that name a tenant, are refused', async () => {
    const support = await makeKey(api.services, null, ['platform:support']);
    const reader = await makeKey(api.services, null, ['platform:read']);
    expect(reasonsOf(await create({}, own))).toEqual(['invalid_input']);
    expect(reasonsOf(await create({}, api.by(platform)))).toEqual(['tenant_required']);
    expect(reasonsOf(await create({}, api.by({ key: platform.key, tenant: tenant.id })))).toEqual(['invalid_input']);
    expect(reasonsOf(await create({ scope: 'TENANT' }, installation))).toEqual(['invalid_input']);
    for (const { key } of [support, reader, tenant]) {
      const answer = await api.ask('{ webhooks { edges { node { id } } } }', {}, { key, tenant: 'installation' });
      expect(reasonsOf(answer)).toEqual(['scope_missing']);
    }
  });

  test('and its events are nothing that a key of a tenant sees', async () => {
    const { id, databaseId } = (await created()).webhook;
    await installation.mutate('testWebhook', { id }, 'delivery { id }');
    const nothing = await own.ask(
      'query ($id: ID!, $number: ID!) { webhook(id: $id) { id } other: webhook(id: $number) { id } node(id: $id) { id } }',
      { id, number: String(databaseId) },
    );
    expect(nothing.data).toEqual({ webhook: null, other: null, node: null });
    const types = (await own.read('{ eventTypes { name } }')).eventTypes.map(({ name }: { name: string }) => name);
    expect(types).not.toContain('audit.entry');
    const [events, deliveries] = [
      '{ events { edges { node { eventType } } } }',
      '{ deliveries { edges { node { id } } } }',
    ];
    expect(nodesOf((await own.read(events)).events)).toEqual([]);
    expect(nodesOf((await own.read(deliveries)).deliveries)).toEqual([]);
    const subscribed = await own.mutate('createWebhook', { url, eventTypes: ['audit.entry'] }, 'webhook { id }');
    expect(subscribed.errors[0].extensions.errors).toMatchObject([{ code: 'event_type_unknown' }]);
  });
});

describe('the installation', () => {
  test('has event types of its own, and operational ones with the tenant', async () => {
    const { eventTypes } = await installation.read(
      '{ eventTypes { name reserved schema samplePayload versions { version } } }',
    );
    const names = eventTypes.map(({ name }: { name: string }) => name);
    expect(names).toEqual([
      'audit.entry',
      'delivery.exhausted',
      'doctor.finding',
      'tenant.created',
      'tenant.deleted',
      'webhook.certificate_ending',
      'webhook.disabled',
      'webhook.failing',
      'webhook.held_expiring',
      'webhook.key_blocked',
      'webhook.recovered',
      'webhook.test',
    ]);
    for (const { name, schema, samplePayload, reserved, versions } of eventTypes) {
      expect(reserved).toBe(true);
      expect(versions).toHaveLength(1);
      expect(Object.keys(schema.properties).sort(), name).toEqual(Object.keys(samplePayload).sort());
      expect(Object.hasOwn(schema.properties, 'tenant_id')).toBe(!['doctor.finding', 'webhook.test'].includes(name));
    }
    const others = await installation.mutate(
      'createWebhook',
      { url, eventTypes: ['booking.created'] },
      'webhook { id }',
    );
    expect(others.errors[0].extensions.errors).toMatchObject([{ code: 'event_type_unknown' }]);
  });

  test('emits nothing, and has no keys, sessions and recipients', async () => {
    const refusals = [
      await installation.mutate('emitEvent', { event: 'coupon.applied', payload: {} }, 'deliveryCount'),
      await installation.mutate('createApiKey', { name: 'x', scopes: ['webhooks:read'] }, 'key'),
      await installation.mutate('createPortalSession', { capabilities: ['VIEW'] }, 'url'),
    ];
    expect(refusals.map(reasonsOf)).toEqual(Array(3).fill(['tenant_required']));
  });

  test('is no tenant in any list, and nothing that is done to tenants reaches it', async () => {
    await created();
    const listed = nodesOf((await read('{ tenants { edges { node { name databaseId } } } }')).tenants);
    expect(listed.map(({ databaseId }) => databaseId)).toEqual([tenant.id]);
    for (const filter of ['{name: "Installation"}', '{search: "nstallatio"}']) {
      expect(nodesOf((await read(`{ tenants(filter: ${filter}) { edges { node { id } } } }`)).tenants)).toEqual([]);
    }
    const backwards = await read('{ tenants(last: 5) { edges { node { databaseId } } pageInfo { hasNextPage } } }');
    expect(nodesOf(backwards.tenants)).toEqual([{ databaseId: tenant.id }]);
    for (const id of ['tn_-1', '-1', 'installation']) {
      expect(codesOf(await api.ask('query ($id: ID!) { tenant(id: $id) { id } }', { id }, platform))).toEqual([
        'NOT_FOUND',
      ]);
      expect(codesOf(await mutate('deleteTenant', { id, name: 'Installation' }, 'deletedTenantId'))).toEqual([
        'NOT_FOUND',
      ]);
      const emit = { event: 'coupon.applied', payload: {}, tenantId: id };
      expect(codesOf(await mutate('emitEvent', emit, 'deliveryCount'))).toEqual(['NOT_FOUND']);
    }
    // A tenant may be called so.
    expect(
      dataOf(await mutate('createTenant', { name: 'Installation' }, 'tenant { name }')).createTenant.tenant,
    ).toEqual({ name: 'Installation' });
  });

  test('counts as no tenant whose secrets an encryption key protects', async () => {
    await created();
    const { installation: facts, tenants } = await read(
      '{ installation { encryptionKeys { tenants } } tenants(first: 100) { edges { node { databaseId } } } }',
    );
    expect(facts.encryptionKeys).toEqual([{ tenants: nodesOf(tenants).length }]);
  });

  test('shows its webhooks among those of all tenants', async () => {
    const { webhook } = await created();
    const found = (
      await read('query ($id: ID!) { whereIs(id: $id) { objectId tenant { databaseId name } } }', { id: webhook.id })
    ).whereIs;
    expect(found).toEqual([
      {
        objectId: webhook.id,
        tenant: { databaseId: INSTALLATION_TENANT, name: expect.stringMatching(/^Installation/) },
      },
    ]);
    await api.owner.query(
      `update hookwright.webhooks set active = false, disabled_reason = 'GONE', disabled_at = now() where id = $1`,
      [webhook.databaseId],
    );
    const { failing } = (
      await read('{ installation { failing { webhooks { webhookId tenant { databaseId } } tenants { disabled } } } }')
    ).installation;
    expect(failing.webhooks).toEqual([{ webhookId: webhook.id, tenant: { databaseId: INSTALLATION_TENANT } }]);
    expect(failing.tenants).toEqual([]);
    const { viewer } = await installation.read('{ viewer { tenant { databaseId deliveryDefaults { own } } } }');
    expect(viewer.tenant).toEqual({ databaseId: INSTALLATION_TENANT, deliveryDefaults: { own: [] } });
  });
});

test('platform keys without platform:admin see nothing of its webhooks in any list or look-up', async () => {
  const { webhook } = await created({ externalId: 'siem-1' });
  const { testWebhook } = dataOf(
    await installation.mutate('testWebhook', { id: webhook.id }, 'delivery { id event { id } }'),
  );
  const [entry] = nodesOf((await installation.read('{ auditLog(first: 1) { edges { node { id } } } }')).auditLog);
  const others = await makeWebhook(api.services, tenant.id, { eventTypes: ['coupon.applied'] });
  const fail = (id: number, reason: string | null) =>
    api.owner.query(
      `update hookwright.webhooks set active = $2::text is null, disabled_reason = $2::text::hookwright.disabled_reason, disabled_at = now(),
         consecutive_failures = 50, streak_began_at = now() where id = $1`,
      [id, reason],
    );
  await fail(others.id, 'FAILURES');
  const { externalId } = (await read('query { tenants(first: 1) { edges { node { externalId } } } }')).tenants.edges[0]
    .node;
  const ids = [webhook.id, String(webhook.databaseId), 'ext:siem-1', testWebhook.delivery.id];
  const lookUps = [...ids, testWebhook.delivery.event.id, entry.id, 'tn_-1', '-1'];
  const lists = `{ installation {
    failing { gone disabled failing webhooks(first: 50) { tenant { databaseId } webhookId url } tenants { gone } }
    ${['FAILURES', 'ATTEMPTS', 'LATENCY', 'BACKLOG'].map((by) => `${by}: topWebhooks(by: ${by}, first: 50) { webhookId url tenant { id } }`).join(' ')} } }`;
  const seenBy = async (key: string) => {
    const by = api.by({ key });
    const found = await Promise.all(
      lookUps.map((id) => by.ask('query ($id: ID!) { whereIs(id: $id) { objectId tenant { databaseId } } }', { id })),
    );
    const node = await by.ask('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids: [...ids, 'tn_-1'] });
    const tenants = await by.read(
      '{ tenants { edges { node { databaseId } } } found: tenants(filter: {search: "nstallatio"}) { edges { node { databaseId } } } auditLog { edges { node { targetId } } } }',
    );
    return JSON.stringify([found.map(({ data }) => data), node.data, tenants, await by.read(lists)]);
  };
  expect(externalId).toBeNull();
  const [support, reader] = [
    await makeKey(api.services, null, ['platform:support']),
    await makeKey(api.services, null, ['platform:read']),
  ];
  for (const reason of ['GONE', 'FAILURES', null]) {
    await fail(webhook.databaseId, reason);
    expect(await seenBy(platform.key)).toContain(`"databaseId":${INSTALLATION_TENANT}`);
    for (const { key } of [support, reader]) {
      const seen = await seenBy(key);
      expect(seen).not.toContain(`"databaseId":${INSTALLATION_TENANT}`);
      expect(seen).not.toContain(webhook.id);
      expect(seen).not.toContain('tn_-1');
      expect(seen).not.toContain('siem.example.com');
      const { failing } = (await api.by({ key }).read(lists)).installation;
      expect(failing).toMatchObject({
        gone: 0,
        disabled: 1,
        failing: 0,
        webhooks: [{ webhookId: gid.webhook(others.id) }],
      });
    }
  }
  for (const { key } of [support, reader]) {
    for (const named of ['-1', 'tn_-1', 'ext:siem-1', 'installation']) {
      const answer = await api.ask('{ webhooks { edges { node { id } } } }', {}, { key, tenant: named });
      expect(['NOT_FOUND', 'FORBIDDEN']).toContain(codesOf(answer)[0]);
    }
  }
});

test('a tenant may have a type that is called as one of the installation', async () => {
  const type = { name: 'tenant.created', description: 'A tenant moved in.', schema: { type: 'object' } };
  dataOf(await mutate('registerEventType', type, 'eventType { name }'));
  const listener = await makeWebhook(api.services, tenant.id, { eventTypes: ['tenant.created'] });
  const { createWebhook } = dataOf(
    await installation.mutate('createWebhook', { url, eventTypes: ['tenant.created'] }, 'webhook { databaseId }'),
  );
  const emitted = await own.mutate('emitEvent', { event: 'tenant.created', payload: { flat: 7 } }, 'deliveryCount');
  expect(dataOf(emitted).emitEvent.deliveryCount).toBe(1);
  const { id } = await makeTenant(api.services);
  const { rows } = await api.owner.query<{ webhook: number; body: string }>(
    `select d.webhook_id as webhook, e.body from hookwright.deliveries d
     join hookwright.events e on e.tenant_id = d.tenant_id and e.id = d.event_id
     where e.event_type = 'tenant.created' and d.webhook_id = any($1) order by d.id`,
    [[listener.id, createWebhook.webhook.databaseId]],
  );
  expect(rows.map(({ webhook, body }) => [webhook, JSON.parse(body)])).toEqual([
    [listener.id, { flat: 7 }],
    [createWebhook.webhook.databaseId, expect.objectContaining({ tenant_id: String(id) })],
  ]);
});
