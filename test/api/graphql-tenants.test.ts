import { afterAll, describe, expect, test } from 'vitest';
import { emitMany, makeKey, makeTenant, makeWebhook } from '../support/factories.js';
import { codesOf, GraphqlApi } from '../support/graphql-api.js';
import { documents } from '../support/graphql-documents.js';
import { gid, numberIn } from '../support/ids.js';

const api = await GraphqlApi.open();
const platform = await makeKey(api.services, null, ['platform:admin']);
afterAll(() => api.close());

const ask = (query: string, variables: Record<string, unknown> = {}, tenant?: number) =>
  api.ask(query, variables, { key: platform.key, ...(tenant === undefined ? {} : { tenant }) });
const update = (id: number | string, name: string) =>
  ask('mutation ($input: UpdateTenantInput!) { updateTenant(input: $input) { tenant { id name } } }', {
    input: { id: String(id), name },
  });
const remove = (id: number | string, name: string) =>
  ask('mutation ($input: DeleteTenantInput!) { deleteTenant(input: $input) { deletedTenantId } }', {
    input: { id: String(id), name },
  });
const read = (id: number | string) => ask('query ($id: ID!) { tenant(id: $id) { id name } }', { id: String(id) });
const nameOf = async (id: number) => (await read(id)).data.tenant.name as string;
const log = async (action: string, tenant?: number) => {
  const { data } = await ask(
    `{ auditLog(filter: {action: ${action}}) { edges { node { actor targetId before after } } } }`,
    {},
    tenant,
  );
  return data.auditLog.edges.map(({ node }: { node: unknown }) => node);
};
const emitFor = (tenantId: number) =>
  ask('mutation ($input: EmitEventInput!) { emitEvent(input: $input) { deliveryCount } }', {
    input: { event: 'coupon.applied', payload: { code: 'A', discount_type: 'B' }, tenantId: String(tenantId) },
  });

describe('a platform key', () => {
  const list =
    'query ($filter: TenantFilter, $first: Int, $after: String) {' +
    ' tenants(filter: $filter, first: $first, after: $after) { edges { cursor node { id name } } pageInfo { hasNextPage } } }';

  test('reads which tenants there are, newest first and page by page, whatever tenant the header names', async () => {
    const older = await makeTenant(api.services);
    const newer = await makeTenant(api.services);
    for (const named of [undefined, older.id]) {
      const { data } = await ask(list, { first: 1 }, named);
      const [{ cursor, node }] = data.tenants.edges;
      expect(node).toEqual({ id: gid.tenant(newer.id), name: await nameOf(newer.id) });
      expect(data.tenants.pageInfo.hasNextPage).toBe(true);
      const next = await ask(list, { first: 1, after: cursor }, named);
      expect(next.data.tenants.edges[0].node.id).toBe(gid.tenant(older.id));
    }
  });

  test('finds one by its name, letter by letter, or by its id', async () => {
    const { id } = await makeTenant(api.services);
    const name = await nameOf(id);
    const found = async (text: string) =>
      (await ask(list, { filter: { name: text } })).data.tenants.edges.map(
        ({ node }: { node: { id: string } }) => node.id,
      );
    expect(await found(name)).toEqual([gid.tenant(id)]);
    expect(await found(name.toUpperCase())).toEqual([]);
    expect(await found('%')).toEqual([]);
    expect(codesOf(await ask(list, { filter: { name: ' ' } }))).toEqual(['BAD_USER_INPUT']);
    for (const unknown of ['999999', 'x', '-1']) {
      const answer = await read(unknown);
      expect({ codes: codesOf(answer), tenant: answer.data.tenant }).toEqual({ codes: ['NOT_FOUND'], tenant: null });
    }
  });

  test('gives a tenant another name, and its audit log says so', async () => {
    const { id } = await makeTenant(api.services);
    const other = await makeTenant(api.services);
    const before = await nameOf(id);
    const after = `${before} GmbH`;
    expect((await update(id, ` ${after} `)).data.updateTenant.tenant).toEqual({ id: gid.tenant(id), name: after });
    expect((await update(id, after)).errors).toEqual([]);
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
    expect((await api.ask(documents.viewer, {}, { key })).errors).toEqual([]);
  });

  test('is out of reach at once: for its keys, by the header, for emits, and by its id', async () => {
    const { id, key } = await makeTenant(api.services);
    const name = await nameOf(id);
    await makeWebhook(api.services, id);
    expect((await api.ask(documents.viewer, {}, { key })).errors).toEqual([]);
    expect((await ask(documents.viewer, {}, id)).errors).toEqual([]);
    expect((await emitFor(id)).data.emitEvent.deliveryCount).toBe(1);

    expect((await remove(id, name)).data.deleteTenant.deletedTenantId).toBe(gid.tenant(id));
    expect(codesOf(await api.ask(documents.viewer, {}, { key }))).toEqual(['UNAUTHENTICATED']);
    expect(codesOf(await ask(documents.viewer, {}, id))).toEqual(['NOT_FOUND']);
    expect(codesOf(await emitFor(id))).toEqual(['NOT_FOUND']);
    expect(codesOf(await read(id))).toEqual(['NOT_FOUND']);
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

  test('takes its webhooks with their secrets, leaves its name, and stands in the log of the installation', async () => {
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
    const again = await ask('mutation ($input: CreateTenantInput!) { createTenant(input: $input) { tenant { id } } }', {
      input: { name },
    });
    expect(numberIn(again.data.createTenant.tenant.id)).toBeGreaterThan(id);
  });
});
