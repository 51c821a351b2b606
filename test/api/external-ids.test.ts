import { afterAll, describe, expect, test } from 'vitest';
import { commandLine } from '../../src/operations/rows/audit.js';
import { deleteWebhook } from '../../src/operations/webhooks/delete-webhook.js';
import { eventually } from '../support/eventually.js';
import { countEvents, couponPayload, makeKey, makeTenant, makeWebhook } from '../support/factories.js';
import { codesOf, dataOf, GraphqlApi, nodesOf, viewerQuery } from '../support/graphql-api.js';
import { gid, numberIn } from '../support/ids.js';
import { lockWaits } from '../support/lock-waits.js';

/** The ids of another system, by which tenants and webhooks are found (docs/external-ids.md). */

const api = await GraphqlApi.open();
const platform = await makeKey(api.services, null, ['platform:admin']);
const own = await makeTenant(api.services);
const other = await makeTenant(api.services);
afterAll(() => api.close());

const operator = api.by({ key: platform.key });
let made = 0;
const newId = () => `crm-${++made}`;
const url = 'https://receiver.example.com/';
const reasonsOf = ({ errors }: Awaited<ReturnType<typeof operator.ask>>) =>
  errors.map(({ extensions }) => extensions.reason);

const createTenant = (externalId: unknown, name = `named ${++made}`) =>
  operator.mutate('createTenant', { name, externalId }, 'tenant { id name externalId }');
const makeNamed = async () => {
  const externalId = newId();
  const { tenant } = dataOf(await createTenant(externalId)).createTenant;
  return { ...tenant, number: numberIn(tenant.id) } as { id: string; number: number; name: string; externalId: string };
};
const updateTenant = (id: string, externalId: unknown) =>
  operator.mutate('updateTenant', { id, externalId }, 'tenant { externalId }');
const tenantBy = (externalId: string) =>
  operator.ask('query ($externalId: String) { tenant(externalId: $externalId) { id } }', { externalId });
const named = (tenant: string, key = platform.key) => api.by({ key, tenant }).ask(viewerQuery);
const log = async (tenant: number, action: string) =>
  nodesOf(
    (
      await api
        .by({ key: platform.key, tenant })
        .read(`{ auditLog(filter: {action: ${action}}) { edges { node { before after } } } }`)
    ).auditLog,
  );

describe('the external id of a tenant', () => {
  test('is set when it is made or later, is changed and removed, and is in the audit log', async () => {
    const { id, number, name, externalId } = await makeNamed();
    expect(await log(number, 'TENANT_CREATED')).toEqual([{ before: null, after: { name, externalId } }]);
    const next = newId();
    for (const value of [next, null, externalId]) {
      expect(dataOf(await updateTenant(id, value)).updateTenant.tenant).toEqual({ externalId: value });
    }
    expect(await log(number, 'TENANT_UPDATED')).toEqual([
      { before: { externalId: null }, after: { externalId } },
      { before: { externalId: next }, after: { externalId: null } },
      { before: { externalId }, after: { externalId: next } },
    ]);
    const without = dataOf(await createTenant(undefined)).createTenant.tenant;
    expect(without.externalId).toBeNull();
  });

  test.each(['', ' ', ' a', 'a ', 'ä', 'a\nb', 'x'.repeat(256)])('cannot be %j', async (externalId) => {
    const { id } = await makeNamed();
    for (const answer of [await createTenant(externalId), await updateTenant(id, externalId)]) {
      expect(answer.errors[0].extensions.errors).toEqual([
        {
          path: ['input', 'externalId'],
          code: 'external_id_malformed',
          detail: 'must be 1 to 255 printable ASCII characters without spaces at the ends',
        },
      ]);
    }
  });

  test('finds the tenant in a query, in lists and in a search, letter by letter', async () => {
    const { id, externalId } = await makeNamed();
    expect(dataOf(await tenantBy(externalId)).tenant).toEqual({ id });
    const list = async (filter: object) =>
      nodesOf(
        (
          await operator.read(
            'query ($filter: TenantFilter) { tenants(filter: $filter) { edges { node { externalId } } } }',
            { filter },
          )
        ).tenants,
      ).map((node) => node.externalId);
    expect(await list({ externalId })).toEqual([externalId]);
    expect(await list({ search: externalId })).toEqual([externalId]);
    expect(await list({ search: externalId, name: 'nobody' })).toEqual([]);
    for (const text of [externalId.toUpperCase(), externalId.slice(0, -1), `${externalId} `]) {
      expect(codesOf(await tenantBy(text)), text).toEqual(['NOT_FOUND']);
    }
    expect(await list({ externalId: externalId.toUpperCase() })).toEqual([]);
    expect(await list({ search: externalId.toUpperCase() })).toEqual([]);
  });

  test('is in each page of a search at its place', async () => {
    const text = `page-${newId()}`;
    const names = ['first', 'second', 'third'];
    const ids: string[] = [];
    for (const name of names) {
      const externalId = name === 'second' ? text : undefined;
      const called = name === 'second' ? `other ${newId()}` : `${name} ${text}`;
      ids.push(dataOf(await createTenant(externalId, called)).createTenant.tenant.id);
    }
    const pages: string[] = [];
    for (let after: string | null = null; pages.length < 3; ) {
      const { tenants } = await operator.read(
        `query ($search: String, $after: String) {
          tenants(first: 1, after: $after, filter: {search: $search}) { edges { cursor node { id } } } }`,
        { search: text, after },
      );
      const [{ cursor, node }] = tenants.edges;
      pages.push(node.id);
      after = cursor;
    }
    expect(pages).toEqual(ids.toReversed());
  });

  test('stands for the tenant in the header, for platform keys and for its own', async () => {
    const { id, number, externalId } = await makeNamed();
    const { key } = await makeKey(api.services, number, ['webhooks:read']);
    expect(dataOf(await named(`ext:${externalId}`)).viewer.tenant).toEqual({ id });
    expect(dataOf(await named(`ext:${externalId}`, key)).viewer.tenant).toEqual({ id });
    expect(codesOf(await named('ext:nobody'))).toEqual(['NOT_FOUND']);
    expect((await named('ext:nobody')).errors[0].message).toBe('There is no tenant ext:nobody.');
    expect((await named('nobody')).errors[0].message).toBe('There is no tenant with such an id.');
    expect(codesOf(await named('ext:'))).toEqual(['NOT_FOUND']);
    expect(codesOf(await named(externalId))).toEqual(['NOT_FOUND']);
  });

  test('of another tenant is unknown to a key: the answer is that for an id that nobody has', async () => {
    const { externalId } = await makeNamed();
    const [known, unknown] = [await named(`ext:${externalId}`, own.key), await named('ext:nobody', own.key)];
    expect(reasonsOf(known)).toEqual(['scope_missing']);
    expect(known.errors).toEqual(unknown.errors);
  });

  test('that is another tenant’s now leads there at once in this process', async () => {
    const [first, second] = [await makeNamed(), await makeNamed()];
    expect(dataOf(await named(`ext:${first.externalId}`)).viewer.tenant).toEqual({ id: first.id });
    dataOf(await updateTenant(first.id, newId()));
    expect(codesOf(await named(`ext:${first.externalId}`))).toEqual(['NOT_FOUND']);
    dataOf(await updateTenant(second.id, first.externalId));
    expect(dataOf(await named(`ext:${first.externalId}`)).viewer.tenant).toEqual({ id: second.id });
  });

  test('cannot be another’s: a repeated creation names the tenant that there is', async () => {
    const { id, name, externalId } = await makeNamed();
    const stranger = await makeNamed();
    for (const answer of [
      await createTenant(externalId),
      await createTenant(externalId, name),
      await updateTenant(stranger.id, externalId),
    ]) {
      expect(reasonsOf(answer)).toEqual(['external_id_taken']);
      expect(answer.errors[0].message).toBe(`Tenant ${id} has this external id.`);
    }
    expect(reasonsOf(await createTenant(newId(), name))).toEqual(['name_taken']);
  });

  test('is given to one of several that want it at the same time, and the others learn who has it', async () => {
    const externalId = newId();
    const answers = await Promise.all(Array.from({ length: 8 }, () => createTenant(externalId)));
    const winners = answers.filter(({ errors }) => errors.length === 0);
    expect(winners).toHaveLength(1);
    const { id } = winners[0]!.data.createTenant.tenant;
    const refused = answers.filter(({ errors }) => errors.length > 0);
    expect(new Set(refused.map(({ errors }) => errors[0].message))).toEqual(
      new Set([`Tenant ${id} has this external id.`]),
    );
  });

  test('is free again once the tenant is deleted, and its entry in the log keeps it', async () => {
    const { id, name, externalId } = await makeNamed();
    dataOf(await operator.mutate('deleteTenant', { id, name }, 'deletedTenantId'));
    expect(codesOf(await named(`ext:${externalId}`))).toEqual(['NOT_FOUND']);
    expect(codesOf(await tenantBy(externalId))).toEqual(['NOT_FOUND']);
    const [entry] = nodesOf(
      (await operator.read('{ auditLog(first: 1, filter: {action: TENANT_DELETED}) { edges { node { before } } } }'))
        .auditLog,
    );
    expect(entry.before).toMatchObject({ name, externalId });
    expect(dataOf(await createTenant(externalId)).createTenant.tenant.externalId).toBe(externalId);
  });

  test('names the tenant of an event, and of several in one request', async () => {
    const [first, second] = [await makeNamed(), await makeNamed()];
    const emit = (tenantId: string, key = platform.key, tenant?: string) =>
      api
        .by({ key, ...(tenant === undefined ? {} : { tenant }) })
        .mutate('emitEvent', { event: 'coupon.applied', payload: couponPayload, tenantId }, 'event { id }');
    dataOf(await emit(`ext:${first.externalId}`));
    dataOf(await emit(`ext:${first.externalId}`, platform.key, first.id));
    expect(await countEvents(api.services, first.number)).toBe(2);
    const { errors } = await emit('ext:nobody');
    expect(errors[0].extensions).toMatchObject({ reason: 'not_found', errors: [{ path: ['input', 'tenantId'] }] });
    expect(reasonsOf(await emit(`ext:${second.externalId}`, own.key))).toEqual(['scope_missing']);
    expect(reasonsOf(await emit(`ext:${second.externalId}`, platform.key, first.id))).toEqual(['invalid_input']);
    const events = [first, second, { externalId: 'nobody' }].map(({ externalId }) => ({
      event: 'coupon.applied',
      payload: couponPayload,
      tenantId: `ext:${externalId}`,
    }));
    const { results } = dataOf(
      await operator.mutate('emitEvents', { events }, 'results { event { id } error { code path } }'),
    ).emitEvents;
    expect(results).toMatchObject([
      { error: null },
      { error: null },
      { event: null, error: { code: 'NOT_FOUND', path: ['input', 'events', '2', 'tenantId'] } },
    ]);
    expect(await countEvents(api.services, second.number)).toBe(1);
    const scheduled = await operator.mutate(
      'scheduleEvent',
      { event: 'coupon.applied', payload: couponPayload, tenantId: `ext:${second.externalId}`, delaySeconds: 3_600 },
      'scheduledEvent { status }',
    );
    expect(dataOf(scheduled).scheduleEvent.scheduledEvent.status).toBe('SCHEDULED');
  });

  test('names the tenant of a portal session', async () => {
    const { id, number, externalId } = await makeNamed();
    const create = (tenantId: string, key = platform.key) =>
      api.by({ key }).mutate('createPortalSession', { tenantId, capabilities: ['VIEW'] }, 'session { id }');
    const { session } = dataOf(await create(`ext:${externalId}`)).createPortalSession;
    const { rows } = await api.owner.query('select tenant_id from hookwright.api_keys where id = $1', [
      numberIn(session.id),
    ]);
    expect(rows).toEqual([{ tenant_id: number }]);
    expect(codesOf(await create('ext:nobody'))).toEqual(['NOT_FOUND']);
    expect(codesOf(await create(`ext:${externalId}`, own.key))).toEqual(['NOT_FOUND']);
    expect(id).toBe(gid.tenant(number));
  });
});

test('events that name a tenant by its external id count for its limit as others do, and are refused together', async () => {
  const limited = await GraphqlApi.open({ EMIT_RATE_MAX: '1' }, () => 0); // a hundred at once
  const { key } = await makeKey(limited.services, null, ['platform:admin']);
  const { mutate } = limited.by({ key });
  const { tenant } = dataOf(await mutate('createTenant', { name: 'a', externalId: 'a' }, 'tenant { id }')).createTenant;
  const event = (tenantId: string) => ({ event: 'coupon.applied', payload: couponPayload, tenantId });
  const emit = (tenantId: string) => mutate('emitEvent', event(tenantId), 'event { id }');
  const emitSome = (count: number) =>
    mutate('emitEvents', { events: Array(count).fill(event('ext:a')) }, 'results { error { code } }');
  expect(dataOf(await emitSome(98)).emitEvents.results).toEqual(Array(98).fill({ error: null }));
  dataOf(await emit('ext:a'));
  expect(codesOf(await emitSome(2))).toEqual(['RATE_LIMITED']);
  dataOf(await emit(tenant.id));
  expect(codesOf(await emit('ext:a'))).toEqual(['RATE_LIMITED']);
  expect(codesOf(await emit(tenant.id))).toEqual(['RATE_LIMITED']);
  expect(await countEvents(limited.services, numberIn(tenant.id))).toBe(100);
  await limited.close();
});

describe('the external id of a webhook', () => {
  const create = (externalId: unknown, key = own.key, more: object = {}) =>
    api
      .by({ key })
      .mutate('createWebhook', { url, eventTypes: ['*'], externalId, ...more }, 'webhook { id externalId version }');
  const makeOne = async () => {
    const externalId = newId();
    return dataOf(await create(externalId)).createWebhook.webhook as { id: string; externalId: string };
  };
  const update = (id: string, externalId: unknown, asking: { key: string; tenant?: number } = own) =>
    api.by(asking).mutate('updateWebhook', { id, externalId }, 'webhook { externalId version }');
  const asOperator = { key: platform.key, tenant: own.id };
  const webhookBy = (externalId: string, key = own.key) =>
    api.by({ key }).ask('query ($externalId: String) { webhook(externalId: $externalId) { id } }', { externalId });
  const listed = async (filter: object, key = own.key) =>
    nodesOf(
      (
        await api
          .by({ key })
          .read('query ($filter: WebhookFilter) { webhooks(filter: $filter) { edges { node { id } } } }', { filter })
      ).webhooks,
    );

  test('is set once by the tenant, at its creation or later, and is in the audit log', async () => {
    const { id, externalId } = await makeOne();
    const { id: plain } = await makeWebhook(api.services, own.id);
    const later = newId();
    expect(dataOf(await update(gid.webhook(plain), later)).updateWebhook.webhook.externalId).toBe(later);
    for (const [webhook, stored] of [
      [id, externalId],
      [gid.webhook(plain), later],
    ] as const) {
      expect(dataOf(await update(webhook, stored)).updateWebhook.webhook.externalId).toBe(stored);
      for (const another of [newId(), null]) {
        const { errors } = await update(webhook, another);
        expect(errors[0]).toMatchObject({
          message: 'The webhook has another external id, which only a platform key can change.',
          extensions: { reason: 'option_not_allowed' },
        });
      }
    }
    const [creation] = await log(own.id, 'WEBHOOK_CREATED').then((entries) =>
      entries.filter(({ after }) => after.externalId === externalId),
    );
    expect(creation.after).toMatchObject({ url, externalId });
    expect((await log(own.id, 'WEBHOOK_UPDATED'))[0]).toEqual({
      before: { externalId: null },
      after: { externalId: later },
    });
  });

  test('is changed and removed by a platform key', async () => {
    const { id } = await makeOne();
    for (const value of [newId(), null, newId()]) {
      expect(dataOf(await update(id, value, asOperator)).updateWebhook.webhook.externalId).toBe(value);
    }
  });

  test.each(['', ' a', 'ä', 'x'.repeat(256)])('cannot be %j', async (externalId) => {
    const issues = (await create(externalId)).errors[0].extensions.errors;
    expect(issues).toMatchObject([{ path: ['input', 'externalId'], code: 'external_id_malformed' }]);
  });

  test('finds the webhook in a query, in lists and in a search', async () => {
    const { id, externalId } = await makeOne();
    expect(dataOf(await webhookBy(externalId)).webhook).toEqual({ id });
    expect(await listed({ externalId })).toEqual([{ id }]);
    expect(await listed({ search: externalId.toUpperCase() })).toContainEqual({ id });
    expect(await listed({ externalId: externalId.toUpperCase() })).toEqual([]);
    expect(codesOf(await webhookBy(externalId.toUpperCase()))).toEqual(['NOT_FOUND']);
    expect(codesOf(await webhookBy(' '))).toEqual(['NOT_FOUND']);
  });

  test('is unique in its tenant alone, and another tenant does not find it', async () => {
    const { id, externalId } = await makeOne();
    expect(codesOf(await webhookBy(externalId, other.key))).toEqual(['NOT_FOUND']);
    expect(await listed({ externalId }, other.key)).toEqual([]);
    const theirs = dataOf(await create(externalId, other.key)).createWebhook.webhook;
    expect(dataOf(await webhookBy(externalId, other.key)).webhook).toEqual({ id: theirs.id });
    expect(dataOf(await webhookBy(externalId)).webhook).toEqual({ id });
  });

  test('cannot be another’s: a repeated creation names the webhook that there is, and a repeated request gets it', async () => {
    const { id, externalId } = await makeOne();
    const stranger = await makeOne();
    const refused = [await create(externalId), await update(stranger.id, externalId, asOperator)];
    for (const answer of refused) {
      expect(reasonsOf(answer)).toEqual(['external_id_taken']);
      expect(answer.errors[0].message).toBe(`Webhook ${id} has this external id.`);
    }
    const [key, again] = [{ idempotencyKey: newId() }, newId()];
    const first = dataOf(await create(again, own.key, key)).createWebhook.webhook;
    expect(dataOf(await create(again, own.key, key)).createWebhook.webhook).toEqual(first);
    expect(reasonsOf(await create(newId(), own.key, key))).toEqual(['idempotency_key_reused']);
  });

  test('is named also to a tenant that may have no more webhooks', async () => {
    const full = await GraphqlApi.open({ WEBHOOKS_PER_TENANT_MAX: '1' });
    const { key } = await makeTenant(full.services);
    const make = (externalId: string) =>
      full.by({ key }).mutate('createWebhook', { url, eventTypes: ['*'], externalId }, 'webhook { id }');
    dataOf(await make('a'));
    expect(reasonsOf(await make('a'))).toEqual(['external_id_taken']);
    expect(reasonsOf(await make('b'))).toEqual(['webhook_limit_reached']);
    await full.close();
  });

  test('is given to one of several creations and changes that want it at the same time', async () => {
    const externalId = newId();
    const plain = await Promise.all(Array.from({ length: 4 }, () => makeWebhook(api.services, own.id)));
    const answers = await Promise.all([
      ...plain.map(({ id }) => update(gid.webhook(id), externalId)),
      ...Array.from({ length: 4 }, () => create(externalId)),
    ]);
    const [winner, ...more] = await listed({ externalId });
    expect(more).toEqual([]);
    expect(answers.filter(({ errors }) => errors.length === 0)).toHaveLength(1);
    const messages = answers.flatMap(({ errors }) => errors.map(({ message }) => message));
    expect(new Set(messages)).toEqual(new Set([`Webhook ${winner.id} has this external id.`]));
  });

  test('of a change that is not committed yet is waited for', async () => {
    const externalId = newId();
    const [{ id: first }, { id: second }] = [
      await makeWebhook(api.services, own.id),
      await makeWebhook(api.services, own.id),
    ];
    const open = await api.owner.connect();
    await open.query('begin');
    await open.query(
      'insert into hookwright.webhook_options (webhook_id, tenant_id, external_id) values ($1, $2, $3)',
      [first, own.id, externalId],
    );
    const waiting = update(gid.webhook(second), externalId);
    await eventually(async () => (await api.owner.query(lockWaits)).rows.length > 0);
    await open.query('commit');
    open.release();
    expect((await waiting).errors[0].message).toBe(`Webhook ${gid.webhook(first)} has this external id.`);
  });

  test('is free again once the webhook is deleted, also by a process of before', async () => {
    const { id, externalId } = await makeOne();
    await deleteWebhook(api.services.db, own.id, numberIn(id), commandLine);
    expect((await log(own.id, 'WEBHOOK_DELETED'))[0].before).toMatchObject({ externalId });
    expect(codesOf(await webhookBy(externalId))).toEqual(['NOT_FOUND']);
    const next = dataOf(await create(externalId)).createWebhook.webhook;
    await api.owner.query('update hookwright.webhooks set deleted_at = now() where id = $1', [numberIn(next.id)]);
    expect(codesOf(await webhookBy(externalId))).toEqual(['NOT_FOUND']);
    const last = dataOf(await create(externalId)).createWebhook.webhook;
    expect(dataOf(await webhookBy(externalId)).webhook).toEqual({ id: last.id });
  });

  test('leaves the way of its emits the plain one', async () => {
    const { id } = await makeOne();
    const { rows } = await api.owner.query('select plain from hookwright.webhooks where id = $1', [numberIn(id)]);
    expect(rows).toEqual([{ plain: true }]);
  });
});

test('one object is asked for by its id or by its external id, and not by both or none', async () => {
  for (const query of ['{ webhook { id } }', '{ webhook(id: "1", externalId: "a") { id } }']) {
    const { errors } = await api.by(own).ask(query);
    expect(errors[0].extensions.errors).toEqual([
      { path: ['id'], code: 'id_or_external_id', detail: 'or externalId must be given, and not both' },
    ]);
  }
  expect(codesOf(await operator.ask('{ tenant { id } }'))).toEqual(['BAD_USER_INPUT']);
});

test('a platform key finds the tenant and the webhooks of all tenants with an external id', async () => {
  const externalId = newId();
  const tenant = dataOf(await createTenant(externalId)).createTenant.tenant;
  const found: string[] = [tenant.id];
  for (const { key } of [own, other]) {
    const input = { url, eventTypes: ['*'], externalId };
    found.push(dataOf(await api.by({ key }).mutate('createWebhook', input, 'webhook { id }')).createWebhook.webhook.id);
  }
  const where = async (id: string, asking: { key: string; tenant?: number } = platform) =>
    (await api.by(asking).ask('query ($id: ID!) { whereIs(id: $id) { objectId tenant { id } } }', { id })).data
      ?.whereIs;
  const expected = [
    { objectId: tenant.id, tenant: { id: tenant.id } },
    { objectId: found[2], tenant: { id: gid.tenant(other.id) } },
    { objectId: found[1], tenant: { id: gid.tenant(own.id) } },
  ];
  expect(await where(`ext:${externalId}`)).toEqual(expected);
  expect(await where(`ext:${externalId}`, { key: platform.key, tenant: own.id })).toEqual(expected);
  const named = await api
    .by(platform)
    .ask('query ($id: ID!) { whereIs(id: $id) { url name externalId } }', { id: `ext:${externalId}` });
  expect(named.data?.whereIs).toEqual([
    { url: null, name: null, externalId: null },
    { url, name: null, externalId },
    { url, name: null, externalId },
  ]);
  expect(await where('ext:nobody')).toEqual([]);
  expect(await where(`ext:${externalId}`, { key: own.key })).toBeNull();
});
