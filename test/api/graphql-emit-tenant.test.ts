import { afterAll, beforeEach, expect, test } from 'vitest';
import { countEvents, couponPayload, makeKey, makeTenant, makeWebhook, type TestTenant } from '../support/factories.js';
import { codesOf, dataOf, GraphqlApi, nodesOf } from '../support/graphql-api.js';
import { gid } from '../support/ids.js';

const api = await GraphqlApi.open();
const tenant = await makeTenant(api.services);
const platform = await makeKey(api.services, null, ['platform:admin']);
afterAll(() => api.close());

let other: TestTenant;
beforeEach(async () => {
  other = await makeTenant(api.services);
});

const coupon = { event: 'coupon.applied', payload: couponPayload };
const emit = (input: object, selection = 'event { id }', asking: { key: string; tenant?: number } = platform) =>
  api.by(asking).mutate('emitEvent', { ...coupon, ...input }, selection);
const events = ({ id }: TestTenant) => countEvents(api.services, id);

test('a platform key must name the tenant of an event, and it must exist', async () => {
  const { errors } = await emit({});
  expect(errors).toMatchObject([
    {
      message: expect.stringContaining('`tenantId`'),
      extensions: { code: 'FORBIDDEN', reason: 'tenant_required', errors: [{ path: ['input', 'tenantId'] }] },
    },
  ]);
  for (const tenantId of ['999999', 'x']) {
    expect(codesOf(await emit({ tenantId }))).toEqual(['NOT_FOUND']);
  }
});

test('the key of a tenant may name its own and no other', async () => {
  expect(codesOf(await emit({ tenantId: tenant.id }, undefined, tenant))).toEqual([]);
  for (const tenantId of [other.id, 'x']) {
    const answer = await emit({ tenantId }, undefined, tenant);
    expect(codesOf(answer)).toEqual(['FORBIDDEN']);
    expect(answer.errors[0].message).toContain('tenantId names another one');
  }
  expect(await events(other)).toBe(0);
});

test('a platform key names it by tenantId alone: the event comes back, and asking for deliveries is refused before', async () => {
  await makeWebhook(api.services, other.id);
  const answer = await emit({ tenantId: other.id }, 'event { id body payload } deliveryCount');
  expect(dataOf(answer).emitEvent).toMatchObject({ deliveryCount: 1, event: { payload: couponPayload } });
  const refused = await emit({ tenantId: other.id }, 'event { id body deliveries { edges { cursor } } }');
  expect(refused).toMatchObject({
    data: undefined,
    errors: [
      {
        message: expect.stringMatching(/Event\.deliveries.*Hookwright-Tenant/),
        extensions: { code: 'FORBIDDEN', reason: 'tenant_required' },
      },
    ],
  });
  expect(await events(other)).toBe(1);
});

test('a platform key names it by the header, with or without the same tenantId: its deliveries can be read', async () => {
  const { id } = await makeWebhook(api.services, other.id);
  for (const input of [{}, { tenantId: other.id }]) {
    const answer = await emit(input, 'event { deliveries { edges { node { webhook { id } } } } }', {
      ...platform,
      tenant: other.id,
    });
    expect(nodesOf(dataOf(answer).emitEvent.event.deliveries)).toEqual([{ webhook: { id: gid.webhook(id) } }]);
  }
});

test('a tenantId that is not the one of the header is a wrong input, and nothing is emitted', async () => {
  const asking = { ...platform, tenant: other.id };
  const answer = await emit({ tenantId: tenant.id }, undefined, asking);
  expect(answer.errors[0].extensions).toMatchObject({
    code: 'BAD_USER_INPUT',
    errors: [{ path: ['input', 'tenantId'], code: 'contradiction' }],
  });
  const before = await events(tenant);
  const several = await api
    .by(asking)
    .mutate(
      'emitEvents',
      { events: [{ ...coupon, tenantId: tenant.id }, coupon] },
      'results { event { id } error { code path } }',
    );
  expect(several.data.emitEvents.results).toMatchObject([
    { event: null, error: { code: 'BAD_USER_INPUT', path: ['input', 'events', '0', 'tenantId'] } },
    { error: null },
  ]);
  expect([await events(tenant), await events(other)]).toEqual([before, 1]);
});
