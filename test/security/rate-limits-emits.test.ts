import { describe, expect, test } from 'vitest';
import { countEvents, makeKey } from '../support/factories.js';
import { gid } from '../support/ids.js';
import { coupon, emitOne, emitSeveral, expectLimited, LimitedApi, many } from '../support/limited-api.js';

describe('emits with EMIT_RATE_MAX', () => {
  const limited = new LimitedApi({ EMIT_RATE_MAX: '10' });

  test('are limited for each tenant by the number of events, and refused as a whole', async () => {
    const { id, key } = await limited.newTenant();
    const other = await makeKey(limited.api.services, id, ['events:emit']);
    const first = await limited.graphql(emitSeveral, many(99), { key });
    expect(first.headers).toMatchObject({ 'ratelimit-policy': '"emit";q=100;w=10', ratelimit: '"emit";r=1;t=10' });
    expectLimited(await limited.graphql(emitSeveral, many(2), { key: other.key }), 1);
    expect((await limited.graphql(emitOne, { input: coupon }, { key: other.key })).status).toBe(200);
    expectLimited(await limited.graphql(emitSeveral, many(25), { key }), 3);
    expect(await countEvents(limited.api.services, id)).toBe(100);
    limited.nowMs += 2_500;
    expect((await limited.graphql(emitSeveral, many(25), { key })).status).toBe(200);
    expect(await countEvents(limited.api.services, id)).toBe(125);
  });

  test('are counted before the first of several fields runs, however the events are written', async () => {
    const { id, key } = await limited.newTenant();
    const query = `mutation ($event: EmitEventInput!, $events: [EmitEventInput!]! = [{event: "coupon.applied", payload: {}}]) {
      a: emitEvents(input: {events: [$event, $event]}) { results { duplicate } }
      b: emitEvents(input: {events: $events}) { results { duplicate } }
      c: emitEvent(input: $event) { duplicate }
      d: emitEvents(input: {events: {event: "coupon.applied", payload: {}}}) { results { duplicate } }
    }`;
    await limited.graphql(emitSeveral, many(95), { key });
    const ask = (events?: object[]) => limited.graphql(query, { event: coupon, events }, { key });
    expectLimited(await ask([coupon, coupon]), 1);
    expect(await countEvents(limited.api.services, id)).toBe(95);
    const { status, headers } = await ask();
    expect(status).toBe(200);
    expect(headers['ratelimit']).toBe('"emit";r=0;t=10');
  });

  test("of one tenant use up nothing of another's, whose id they name", async () => {
    const [mine, other] = [await limited.newTenant(), await limited.newTenant()];
    for (let i = 0; i < 3; i++) {
      const input = { ...coupon, tenantId: String(other.id) };
      await limited.graphql(emitSeveral, { input: { events: Array<object>(100).fill(input) } }, { key: mine.key });
    }
    expect((await limited.graphql(emitSeveral, many(100), { key: other.key })).status).toBe(200);
  });

  test('of a platform key count for the tenants that they name', async () => {
    const { id, key } = await limited.newTenant();
    const platform = await makeKey(limited.api.services, null, ['platform:admin']);
    // Half of them by its number.
    const events = Array.from({ length: 100 }, (_, index) => ({
      ...coupon,
      tenantId: index % 2 === 0 ? gid.tenant(id) : String(id),
    }));
    const named = { input: { events } };
    expect((await limited.graphql(emitSeveral, named, { key: platform.key })).status).toBe(200);
    expectLimited(await limited.graphql(emitOne, { input: coupon }, { key }), 1);
    expectLimited(await limited.graphql(emitSeveral, named, { key: platform.key }), 10);
    for (const tenantId of [null, 5, ['x'], { toString: 1 }, 'x']) {
      const { status } = await limited.graphql(emitOne, { input: { ...coupon, tenantId } }, { key: platform.key });
      expect(status).toBeLessThan(500);
    }
  });
});
