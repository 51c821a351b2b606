import { afterAll, describe, expect, test } from 'vitest';
import { emitMany, makeKey, makeTenant, makeWebhook } from '../support/factories.js';
import { codesOf, GraphqlApi } from '../support/graphql-api.js';
import { documents } from '../support/graphql-documents.js';
import { gid, numberIn } from '../support/ids.js';

const api = await GraphqlApi.open();
const tenant = await makeTenant(api.services);
const platform = await makeKey(api.services, null, ['platform:admin']);
afterAll(() => api.close());

const viewer = (key: string | undefined, named?: number | string) =>
  api.ask(documents.viewer, {}, named === undefined ? { key } : { key, tenant: named });
const createKey = (input: Record<string, unknown>, key: string, named?: number) =>
  api.ask(documents.createApiKey, { input }, named === undefined ? { key } : { key, tenant: named });

describe('tenants and platform keys', () => {
  test.each(['webhookId: "WEBHOOK"', 'eventId: "EVENT"', 'webhookId: "999999"', 'eventId: "5"'])(
    'a filter for %s of another tenant, or of nobody, is not found',
    async (filter) => {
      const owner = await makeTenant(api.services);
      const { id: webhookId } = await makeWebhook(api.services, owner.id);
      const [eventId] = await emitMany(api.services, owner.id, 1);
      const named = filter.replace('WEBHOOK', String(webhookId)).replace('EVENT', String(eventId));
      const answer = await api.ask(`{ deliveries(filter: {${named}}) { edges { cursor } } }`, {}, tenant);
      expect(answer.data).toEqual({ deliveries: null });
      expect(codesOf(answer)).toEqual(['NOT_FOUND']);
    },
  );

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
