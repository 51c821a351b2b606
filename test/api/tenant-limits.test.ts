import { afterAll, describe, expect, test } from 'vitest';
import { couponPayload, makeKey, makePortalSession, makeTenant } from '../support/factories.js';
import { type Answer, GraphqlApi } from '../support/graphql-api.js';
import { gid } from '../support/ids.js';

/** What an operator allows a tenant, as the API holds it. */

const api = await GraphqlApi.open();
afterAll(() => api[Symbol.asyncDispose]());
const { key: admin } = await makeKey(api.services, null, ['platform:admin']);

const EMIT = 'mutation ($input: EmitEventInput!) { emitEvent(input: $input) { event { id } } }';
const EMITS = 'mutation ($input: EmitEventsInput!) { emitEvents(input: $input) { results { error { code } } } }';
const coupon = { event: 'coupon.applied', payload: couponPayload };
const shown = `tenant {
  limits { eventsPerSecond requestsPerSecond requestsAtOnce endpointsMax bodyBytesMax reason } limitedSince limitedBy }`;
const limit = (tenant: number, limits: object | null, key = admin) =>
  api.by({ key }).mutate('updateTenant', { id: gid.tenant(tenant), limits }, shown);
const NONE = {
  eventsPerSecond: null,
  requestsPerSecond: null,
  requestsAtOnce: null,
  endpointsMax: null,
  bodyBytesMax: null,
  reason: null,
};
const viewed = async (key: string) => (await api.by({ key }).read(`{ viewer { ${shown} } }`)).viewer.tenant;
const extensionsOf = ({ errors }: Answer) => errors[0]?.extensions;
const messageOf = ({ errors }: Answer): string => errors[0]?.message ?? '';
const issuesOf = (answer: Answer) =>
  extensionsOf(answer).errors.map(({ path, code }: { path: string[]; code: string }) => `${path.join('.')} ${code}`);

describe('the limits of a tenant', () => {
  test('are set by platform:admin, read by the tenant and its portal sessions, and in the audit log', async () => {
    const { id, key } = await makeTenant(api.services);
    expect(await viewed(key)).toEqual({ limits: NONE, limitedSince: null, limitedBy: null });
    const limits = { eventsPerSecond: 50, requestsAtOnce: 4, reason: 'The import of 1 May.' };
    const { data } = await limit(id, limits);
    expect(data.updateTenant.tenant).toMatchObject({ limits: { ...NONE, ...limits }, limitedBy: expect.any(String) });
    expect(Date.parse(data.updateTenant.tenant.limitedSince)).toBeGreaterThan(Date.now() - 60_000);
    const seen = await viewed(key);
    expect(seen.limits).toEqual({ ...NONE, ...limits });
    expect(seen.limitedSince).toBe(data.updateTenant.tenant.limitedSince);
    expect(seen.limitedBy, 'names of platform keys are for platform keys').toBeNull();
    const log = await api.by({ key }).read('{ auditLog(first: 1) { edges { node { action before after } } } }');
    expect(log.auditLog.edges[0].node).toMatchObject({ action: 'TENANT_UPDATED', after: limits });
    const all = await api
      .by({ key: admin })
      .read('{ auditLog(first: 1) { edges { node { action targetId after } } } }');
    expect(all.auditLog.edges[0].node).toMatchObject({ action: 'TENANT_UPDATED', after: limits });
  });

  test('stay as far as a change leaves them out; the reason goes with the last one', async () => {
    const { id } = await makeTenant(api.services);
    await limit(id, { endpointsMax: 3, bodyBytesMax: 900, reason: 'Trial' });
    const fewer = (await limit(id, { endpointsMax: null })).data.updateTenant.tenant;
    expect(fewer).toMatchObject({ limits: { ...NONE, bodyBytesMax: 900, reason: 'Trial' } });
    expect((await limit(id, { bodyBytesMax: null })).data.updateTenant.tenant).toEqual({
      limits: NONE,
      limitedSince: null,
      limitedBy: null,
    });
  });

  test.each([
    ['eventsPerSecond', 0],
    ['requestsPerSecond', -1],
    ['requestsAtOnce', 0],
    ['endpointsMax', 0],
    ['bodyBytesMax', 2_000_000],
  ])('%s is refused as %d', async (name, value) => {
    const { id } = await makeTenant(api.services);
    expect(issuesOf(await limit(id, { [name]: value }))).toEqual([`input.limits.${name} limit_out_of_range`]);
  });

  test('are changed by nobody else', async () => {
    const { id, key } = await makeTenant(api.services);
    const { key: support } = await makeKey(api.services, null, ['platform:support']);
    for (const other of [key, support]) {
      expect(extensionsOf(await limit(id, { eventsPerSecond: 5 }, other))).toMatchObject({ code: 'FORBIDDEN' });
    }
    expect(await makePortalSession(api.services, id)).toBeGreaterThan(0);
    expect((await viewed(key)).limits).toEqual(NONE);
  });

  test('are read by programs over REST, with webhooks:read', async () => {
    const { id, key } = await makeTenant(api.services);
    await limit(id, { requestsAtOnce: 4, reason: 'Trial' });
    const get = async (by: string) =>
      api.server.inject({ url: '/api/v1/limits', headers: { authorization: `Bearer ${by}` } });
    expect((await get(key)).json().data).toEqual({
      events_per_second: null,
      requests_per_second: null,
      requests_at_once: 4,
      endpoints_max: null,
      body_bytes_max: null,
      reason: 'Trial',
      since: expect.any(String),
    });
    expect((await get(admin)).json()).toMatchObject({ code: 'tenant_required' });
    const { key: emits } = await makeKey(api.services, id, ['events:emit']);
    expect((await get(emits)).statusCode).toBe(403);
  });

  test('of requests are refused beside a daemon that would not follow them', async () => {
    const { id } = await makeTenant(api.services);
    await api.owner.query(
      `insert into hookwright.daemons (id, host, pid, version, slots, in_flight, started_at)
       values (gen_random_uuid(), 'old', 1, '0.1.0', 1, 0, now())`,
    );
    const refused = await limit(id, { requestsPerSecond: 5 });
    expect(extensionsOf(refused)).toMatchObject({ code: 'CONFLICT', reason: 'older_daemons' });
    expect(messageOf(refused)).toContain('0.1.0 on old does not know requestsPerSecond (from 0.2.0 on)');
    expect((await limit(id, { eventsPerSecond: 5 })).errors).toEqual([]);
    await api.owner.query('delete from hookwright.daemons');
    expect((await limit(id, { requestsPerSecond: 5 })).errors).toEqual([]);
  });

  test('of new tenants are taken too', async () => {
    const input = { name: 'Limited from the first day', limits: { endpointsMax: 1 } };
    const { data } = await api.by({ key: admin }).mutate('createTenant', input, `tenant { id } ${shown}`);
    expect(data.createTenant.tenant).toMatchObject({ limits: { ...NONE, endpointsMax: 1 } });
    expect(data.createTenant.tenant.limitedSince).not.toBeNull();
  });
});

describe('endpointsMax', () => {
  test('refuses one webhook more, and may be more than others have', async () => {
    const { id, key } = await makeTenant(api.services);
    const create = () =>
      api
        .by({ key })
        .mutate('createWebhook', { url: 'https://hooks.example.com/', eventTypes: ['*'] }, 'webhook { id }');
    await limit(id, { endpointsMax: 1 });
    expect((await create()).errors).toEqual([]);
    const refused = await create();
    expect(extensionsOf(refused)).toMatchObject({ code: 'CONFLICT', reason: 'webhook_limit_reached' });
    expect(messageOf(refused)).toContain('allows one webhook in this tenant (limits.endpointsMax)');
  });
});

describe('bodyBytesMax', () => {
  test('refuses a longer payload in both forms, at 413, and no other one', async () => {
    const { id, key } = await makeTenant(api.services);
    const by = api.by({ key });
    const bytes = JSON.stringify(couponPayload).length;
    await limit(id, { bodyBytesMax: bytes });
    expect((await by.ask(EMIT, { input: coupon })).errors).toEqual([]);
    await limit(id, { bodyBytesMax: bytes - 1 });
    for (const given of [{ payload: couponPayload }, { body: JSON.stringify(couponPayload) }]) {
      const answer = await by.ask(EMIT, { input: { event: coupon.event, ...given } });
      expect(extensionsOf(answer)).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
      expect(messageOf(answer)).toContain(`at most ${bytes - 1} are allowed by the limit of the tenant`);
    }
  });
});

describe('eventsPerSecond', () => {
  test('counts each event of a batch, which waits for what it has taken', async () => {
    const { id, key } = await makeTenant(api.services);
    const by = api.by({ key });
    await limit(id, { eventsPerSecond: 1 });
    const batch = (count: number) => by.ask(EMITS, { input: { events: Array<object>(count).fill(coupon) } });
    expect((await batch(30)).errors).toEqual([]);
    const refused = await by.ask(EMIT, { input: coupon });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(20);
    expect(extensionsOf(refused)).toMatchObject({ code: 'RATE_LIMITED' });
    expect(messageOf(refused)).toContain('at most 1 event a second (limits.eventsPerSecond)');
    await limit(id, { eventsPerSecond: null });
    expect((await by.ask(EMIT, { input: coupon })).errors).toEqual([]);
  });

  test('holds for a platform key that names the tenant in the header, by its id or by its external id', async () => {
    const { id } = await makeTenant(api.services);
    await api.by({ key: admin }).mutate('updateTenant', { id: gid.tenant(id), externalId: 'slow_1' }, 'tenant { id }');
    await limit(id, { eventsPerSecond: 1 });
    const { key: emits } = await makeKey(api.services, null, ['platform:support']);
    const by = api.by({ key: emits });
    expect((await by.ask(EMIT, { input: { ...coupon, tenantId: gid.tenant(id) } })).errors).toEqual([]);
    for (const tenantId of [gid.tenant(id), 'ext:slow_1']) {
      expect((await by.ask(EMIT, { input: { ...coupon, tenantId } })).status).toBe(429);
    }
    expect((await api.by({ key: emits, tenant: id }).ask(EMIT, { input: coupon })).status).toBe(429);
  });
});
