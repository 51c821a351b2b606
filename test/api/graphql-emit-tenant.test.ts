import { afterAll, describe, expect, test } from 'vitest';
import { couponPayload, makeKey, makeTenant, makeWebhook } from '../support/factories.js';
import { type Answer, codesOf, GraphqlApi } from '../support/graphql-api.js';
import { gid } from '../support/ids.js';

const api = await GraphqlApi.open();
const tenant = await makeTenant(api.services);
const platform = await makeKey(api.services, null, ['platform:admin']);
afterAll(() => api.close());

const emit = (
  input: Record<string, unknown>,
  selection = 'event { id }',
  asking: { key: string; tenant?: number } = platform,
): Promise<Answer> =>
  api.ask(
    `mutation ($input: EmitEventInput!) { emitEvent(input: $input) { ${selection} } }`,
    { input: { event: 'coupon.applied', payload: couponPayload, ...input } },
    asking,
  );
const coupon = 'event: "coupon.applied", payload: {code: "C", discount_type: "D"}';
const countEvents = async (tenantId: number): Promise<number> => {
  const { rows } = await api.owner.query(
    'select count(*)::integer as events from hookwright.events where tenant_id = $1',
    [tenantId],
  );
  return rows[0].events;
};

describe('the tenant of an event', () => {
  test('a platform key must name it, and it must exist', async () => {
    const without = await emit({});
    expect(without.errors[0].extensions).toMatchObject({
      code: 'FORBIDDEN',
      reason: 'tenant_required',
      errors: [{ path: ['input', 'tenantId'] }],
    });
    expect(without.errors[0].message).toContain('`tenantId`');
    expect(codesOf(await emit({ tenantId: '999999' }))).toEqual(['NOT_FOUND']);
    expect(codesOf(await emit({ tenantId: 'x' }))).toEqual(['NOT_FOUND']);
  });

  test('the key of a tenant may name its own and no other', async () => {
    const other = await makeTenant(api.services);
    expect(codesOf(await emit({ tenantId: tenant.id }, undefined, tenant))).toEqual([]);
    for (const tenantId of [other.id, 'x']) {
      const answer = await emit({ tenantId }, undefined, tenant);
      expect(codesOf(answer)).toEqual(['FORBIDDEN']);
      expect(answer.errors[0].message).toContain('tenantId names another one');
    }
    expect(await countEvents(other.id)).toBe(0);
  });

  test('a platform key names it by tenantId alone: the event comes back, and asking for deliveries is refused before', async () => {
    const other = await makeTenant(api.services);
    await makeWebhook(api.services, other.id);
    const { data, errors } = await emit({ tenantId: other.id }, 'event { id body payload } deliveryCount');
    expect(errors).toEqual([]);
    expect(data.emitEvent).toMatchObject({ deliveryCount: 1, event: { payload: couponPayload } });
    const refused = await emit({ tenantId: other.id }, 'event { id body deliveries { edges { cursor } } }');
    expect(refused.data).toBeUndefined();
    expect(refused.errors[0].extensions).toEqual({ code: 'FORBIDDEN', reason: 'tenant_required' });
    expect(refused.errors[0].message).toMatch(/Event\.deliveries.*Hookwright-Tenant/);
    expect(await countEvents(other.id)).toBe(1);
  });

  test('a platform key names it by the header, with or without the same tenantId: its deliveries can be read', async () => {
    const other = await makeTenant(api.services);
    const { id } = await makeWebhook(api.services, other.id);
    for (const input of [{}, { tenantId: other.id }]) {
      const { data, errors } = await emit(input, 'event { deliveries { edges { node { webhook { id } } } } }', {
        ...platform,
        tenant: other.id,
      });
      expect(errors).toEqual([]);
      expect(data.emitEvent.event.deliveries.edges).toEqual([{ node: { webhook: { id: gid.webhook(id) } } }]);
    }
  });

  test('a tenantId that is not the one of the header is a wrong input, and nothing is emitted', async () => {
    const [one, two] = [await makeTenant(api.services), await makeTenant(api.services)];
    const answer = await emit({ tenantId: one.id }, 'event { id }', { ...platform, tenant: two.id });
    expect(answer.errors[0].extensions).toMatchObject({
      code: 'BAD_USER_INPUT',
      errors: [{ path: ['input', 'tenantId'], code: 'contradiction' }],
    });
    const several = await api.ask(
      `mutation ($id: ID!) { emitEvents(input: {events: [{${coupon}, tenantId: $id}, {${coupon}}]}) {
         results { event { id } error { code path } } } }`,
      { id: one.id },
      { ...platform, tenant: two.id },
    );
    expect(several.data.emitEvents.results).toMatchObject([
      { event: null, error: { code: 'BAD_USER_INPUT', path: ['input', 'events', '0', 'tenantId'] } },
      { error: null },
    ]);
    expect([await countEvents(one.id), await countEvents(two.id)]).toEqual([0, 1]);
  });
});
