import { afterAll, describe, expect, test } from 'vitest';
import { couponPayload, emitMany, makeKey, makeTenant, makeWebhook } from '../support/factories.js';
import { codesOf, dataOf, GraphqlApi, nodesOf, viewerQuery } from '../support/graphql-api.js';
import { gid, numberIn } from '../support/ids.js';

const api = await GraphqlApi.open();
const platform = await makeKey(api.services, null, ['platform:admin']);
const own = await makeTenant(api.services);
afterAll(() => api.close());

/** Asks with the platform key, for the tenant if one is named. */
const by = (tenant?: number | string) => api.by({ key: platform.key, ...(tenant === undefined ? {} : { tenant }) });
const { ask, mutate, read } = by();
const update = (id: number | string, name: string) => mutate('updateTenant', { id, name }, 'tenant { id name }');
const remove = (id: number | string, name: string) => mutate('deleteTenant', { id, name }, 'deletedTenantId');
const tenantOf = (id: number | string) => ask('query ($id: ID!) { tenant(id: $id) { id name } }', { id });
const nameOf = async (id: number): Promise<string> => dataOf(await tenantOf(id)).tenant.name;
const log = async (action: string, tenant?: number) => {
  const query = `{ auditLog(filter: {action: ${action}}) { edges { node { actor targetId before after } } } }`;
  return nodesOf((await by(tenant).read(query)).auditLog);
};
const emitFor = (tenantId: number) =>
  mutate('emitEvent', { event: 'coupon.applied', payload: couponPayload, tenantId }, 'deliveryCount');

describe('a platform key', () => {
  const list =
    'query ($filter: TenantFilter, $first: Int, $after: String) {' +
    ' tenants(filter: $filter, first: $first, after: $after) { edges { cursor node { id name } } pageInfo { hasNextPage } } }';

  test('reads which tenants there are, newest first and page by page, whatever tenant the header names', async () => {
    const older = await makeTenant(api.services);
    const newer = await makeTenant(api.services);
    for (const named of [undefined, older.id]) {
      const { tenants } = await by(named).read(list, { first: 1 });
      const [{ cursor, node }] = tenants.edges;
      expect(node).toEqual({ id: gid.tenant(newer.id), name: await nameOf(newer.id) });
      expect(tenants.pageInfo.hasNextPage).toBe(true);
      const next = await by(named).read(list, { first: 1, after: cursor });
      expect(nodesOf(next.tenants)[0].id).toBe(gid.tenant(older.id));
    }
  });

  test('finds one by its name, letter by letter, or by its id', async () => {
    const { id } = await makeTenant(api.services);
    const name = await nameOf(id);
    const found = async (text: string) =>
      nodesOf((await read(list, { filter: { name: text } })).tenants).map((tenant) => tenant.id);
    expect(await found(name)).toEqual([gid.tenant(id)]);
    expect(await found(name.toUpperCase())).toEqual([]);
    expect(await found('%')).toEqual([]);
    expect(codesOf(await ask(list, { filter: { name: ' ' } }))).toEqual(['BAD_USER_INPUT']);
    for (const unknown of ['999999', 'x', '-1']) {
      const answer = await tenantOf(unknown);
      expect({ codes: codesOf(answer), tenant: answer.data.tenant }).toEqual({ codes: ['NOT_FOUND'], tenant: null });
    }
  });

  test('gives a tenant another name, and its audit log says so', async () => {
    const { id } = await makeTenant(api.services);
    const other = await makeTenant(api.services);
    const before = await nameOf(id);
    const after = `${before} GmbH`;
    expect((await update(id, ` ${after} `)).data.updateTenant.tenant).toEqual({ id: gid.tenant(id), name: after });
    expect((await update(id, `\u202e${after}\u200b`)).errors).toEqual([]);
    expect(await log('TENANT_UPDATED', id)).toEqual([
      { actor: 'PLATFORM_KEY', targetId: gid.tenant(id), before: { name: before }, after: { name: after } },
    ]);
    const taken = await update(other.id, after);
    expect(taken.errors[0].extensions).toEqual({ code: 'CONFLICT', reason: 'name_taken' });
    expect(codesOf(await update(other.id, ' '))).toEqual(['BAD_USER_INPUT']);
    expect(codesOf(await update('999999', 'nobody'))).toEqual(['NOT_FOUND']);
  });
});

describe('a tenant that is deleted', () => {
  test('is left alone when the name is not its own', async () => {
    const { id, key } = await makeTenant(api.services);
    const { errors } = await remove(id, 'another');
    expect(errors[0]).toMatchObject({
      message: `The tenant has another name; nothing was deleted.`,
      extensions: { code: 'BAD_USER_INPUT', errors: [{ path: ['input', 'name'], code: 'other_name' }] },
    });
    expect((await api.by({ key }).ask(viewerQuery)).errors).toEqual([]);
  });

  test('is out of reach at once: for its keys, by the header, for emits, and by its id', async () => {
    const { id, key } = await makeTenant(api.services);
    const name = await nameOf(id);
    await makeWebhook(api.services, id);
    await api.owner.query(`update hookwright.tenants set name = name || '\u200b' where id = $1`, [id]); // from before
    expect((await api.by({ key }).ask(viewerQuery)).errors).toEqual([]);
    expect((await by(id).ask(viewerQuery)).errors).toEqual([]);
    expect((await emitFor(id)).data.emitEvent.deliveryCount).toBe(1);

    expect((await remove(id, name)).data.deleteTenant.deletedTenantId).toBe(gid.tenant(id));
    expect(codesOf(await api.by({ key }).ask(viewerQuery))).toEqual(['UNAUTHENTICATED']);
    expect(codesOf(await by(id).ask(viewerQuery))).toEqual(['NOT_FOUND']);
    expect(codesOf(await emitFor(id))).toEqual(['NOT_FOUND']);
    expect(codesOf(await tenantOf(id))).toEqual(['NOT_FOUND']);
    expect(codesOf(await update(id, 'back'))).toEqual(['NOT_FOUND']);
    expect(codesOf(await remove(id, name))).toEqual(['NOT_FOUND']);
    await expect(emitMany(api.services, id, 1)).resolves.toEqual([Number.NaN]);
  });

  test('gets nothing new from requests that were let in before', async () => {
    const { id } = await makeTenant(api.services);
    await remove(id, await nameOf(id));
    await expect(makeWebhook(api.services, id)).rejects.toMatchObject({ reason: 'not_found' });
    await expect(makeKey(api.services, id, ['events:emit'])).rejects.toMatchObject({ reason: 'not_found' });
  });

  test('takes its webhooks with their secrets, leaves its name, and is in the log of the installation', async () => {
    const { id } = await makeTenant(api.services);
    const name = await nameOf(id);
    await makeWebhook(api.services, id);
    await makeWebhook(api.services, id);
    const stranger = await makeTenant(api.services);
    await makeWebhook(api.services, stranger.id);
    await remove(id, name);
    const left = await api.owner.query(
      `select tenant_id, deleted_at is null as there, active, length(sealed_secret) > 0 as secret
       from hookwright.webhooks where tenant_id in ($1, $2) order by id`,
      [id, stranger.id],
    );
    const gone = { tenant_id: id, there: false, active: false, secret: false };
    expect(left.rows).toEqual([gone, gone, { tenant_id: stranger.id, there: true, active: true, secret: true }]);
    expect(await log('TENANT_DELETED')).toContainEqual({
      actor: 'PLATFORM_KEY',
      targetId: gid.tenant(id),
      before: { name, webhooks: 2, apiKeys: 1 },
      after: null,
    });
    const again = await mutate('createTenant', { name }, 'tenant { id }');
    expect(numberIn(again.data.createTenant.tenant.id)).toBeGreaterThan(id);
  });
});

describe('tenants and platform keys', () => {
  const owner = api.by(own);

  test.each(['webhookId: "WEBHOOK"', 'eventId: "EVENT"', 'webhookId: "999999"', 'eventId: "5"'])(
    'a filter for %s of another tenant, or of nobody, is not found',
    async (filter) => {
      const stranger = await makeTenant(api.services);
      const { id: webhookId } = await makeWebhook(api.services, stranger.id);
      const [eventId] = await emitMany(api.services, stranger.id, 1);
      const named = filter.replace('WEBHOOK', String(webhookId)).replace('EVENT', String(eventId));
      const answer = await owner.ask(`{ deliveries(filter: {${named}}) { edges { cursor } } }`);
      expect(answer.data).toEqual({ deliveries: null });
      expect(codesOf(answer)).toEqual(['NOT_FOUND']);
    },
  );

  test("a tenant's key may name its own tenant in the header, and no other", async () => {
    const naming = (tenant: number | string) => api.by({ key: own.key, tenant }).ask(viewerQuery);
    const other = await makeTenant(api.services);
    expect((await naming(own.id)).errors).toEqual([]);
    for (const named of [other.id, 'x', '0', '999999']) {
      const answer = await naming(named);
      expect(answer.status).toBe(403); // before there is a GraphQL request at all
      expect(codesOf(answer)).toEqual(['FORBIDDEN']);
    }
  });

  test('a platform key makes tenants and acts for them by the header', async () => {
    const made = await mutate('createTenant', { name: 'Acme' }, 'tenant { id name createdAt }');
    expect(made.data.createTenant.tenant).toMatchObject({ name: 'Acme' });
    const id = numberIn(made.data.createTenant.tenant.id);
    const again = await mutate('createTenant', { name: 'Acme' }, 'tenant { id }');
    expect(again.errors[0].extensions).toEqual({ code: 'CONFLICT', reason: 'name_taken' });
    const scopes = ['webhooks:read', 'webhooks:write'];
    const { createApiKey } = dataOf(await by(id).mutate('createApiKey', { name: 'first', scopes }, 'key'));
    const first = api.by(createApiKey);
    expect((await first.read(viewerQuery)).viewer.tenant).toEqual({ id: gid.tenant(id) });
    const settings = { url: 'https://a.example.com/', eventTypes: ['*'] };
    const { createWebhook } = dataOf(await by(id).mutate('createWebhook', settings, 'webhook { id }'));
    const { webhooks } = await first.read('{ webhooks { edges { node { id } } } }');
    expect(nodesOf(webhooks)).toEqual([createWebhook.webhook]);
  });

  test('a platform key that names no tenant, or an unknown one, gets no further', async () => {
    const without = await ask('{ webhooks { edges { cursor } } }');
    expect(without.errors[0].extensions).toEqual({ code: 'FORBIDDEN', reason: 'tenant_required' });
    for (const named of ['999999', 'x', '-1']) {
      expect(codesOf(await by(named).ask(viewerQuery))).toEqual(['NOT_FOUND']);
    }
    expect((await read(viewerQuery)).viewer).toMatchObject({ tenant: null, scopes: ['platform:admin'] });
  });

  test.each(['', '  ', 'a'.repeat(201), 'a\u0000b'])('a tenant cannot be named %j', async (name) => {
    const { errors } = await mutate('createTenant', { name }, 'tenant { id }');
    expect(errors[0].extensions).toMatchObject({ code: 'BAD_USER_INPUT', errors: [{ path: ['input', 'name'] }] });
  });
});
