import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commandLine } from '../../src/operations/rows/audit.js';
import { leaseEvents } from '../../src/operations/tenants/lease-events.js';
import { readRequestLimits } from '../../src/operations/tenants/read-request-limits.js';
import { updateTenant } from '../../src/operations/tenants/update-tenant.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { makeTenant } from '../support/factories.js';
import { OutboxApplication } from '../support/outbox-application.js';

/** The rows that API processes, applications and daemons share for a limited tenant. */

let stack: DeliveryStack;
let shop: OutboxApplication;
beforeAll(async () => {
  stack = await DeliveryStack.open();
  shop = await OutboxApplication.open(stack);
});
afterAll(async () => {
  await shop?.[Symbol.asyncDispose]();
  await stack?.[Symbol.asyncDispose]();
});

const limit = (limits: object, tenantId = stack.tenantId) =>
  updateTenant(stack.services.db, tenantId, limits, commandLine);
const newTenant = async () => (await makeTenant(stack.services)).id;
const lease = (tenantId: number, perSecond: number, needed: number, wanted = needed) =>
  leaseEvents(stack.services.db, { tenantId, perSecond, needed, wanted });
const EMIT = `select * from hookwright.emit(tenant_id => $1, event_type => 'coupon.applied',
                                            body => '{"code":"A","discount_type":"fixed"}')`;

describe('events are leased', () => {
  test('as many as a tenth of a second allows after a pause, to all processes together', async () => {
    const tenant = await newTenant();
    const leased = await Promise.all([lease(tenant, 100, 1, 20), lease(tenant, 100, 1, 20)]);
    const sum = leased.reduce((all, one) => all + one.leased, 0);
    expect(sum).toBeGreaterThanOrEqual(10);
    expect(sum).toBeLessThanOrEqual(40);
  });

  test('whole to a batch that is larger, and the next one waits for it', async () => {
    const tenant = await newTenant();
    expect(await lease(tenant, 2, 10)).toMatchObject({ leased: 10 });
    const next = await lease(tenant, 2, 1);
    expect(next.leased).toBe(0);
    expect(next.waitMs).toBeGreaterThan(4_000);
    expect(next.waitMs).toBeLessThanOrEqual(5_000);
  });

  test('again soon when the rate rises, or when the clock of Postgres was ahead', async () => {
    const tenant = await newTenant();
    await lease(tenant, 1, 1);
    await stack.rows(`update hookwright.tenant_rates set events_next_at = now() + interval '9 days'`);
    expect((await lease(tenant, 1_000, 1)).waitMs).toBeLessThan(11_000);
  });
});

describe('the outbox', () => {
  test('is never refused, and what it commits counts', async () => {
    await limit({ eventsPerSecond: 10, bodyBytesMax: 5 });
    for (let i = 0; i < 30; i++) {
      await shop.transaction((client) => client.query(EMIT, [stack.tenantId]));
    }
    const { leased, waitMs } = await lease(stack.tenantId, 10, 1);
    expect(leased).toBe(0);
    expect(waitMs).toBeGreaterThan(1_000);
    expect(waitMs).toBeLessThan(10_500);
  });

  test('keeps no emit of the API waiting while its transaction is open, and one that is rolled back counts nothing', async () => {
    const tenant = await newTenant();
    await limit({ eventsPerSecond: 10 });
    await stack.rows('delete from hookwright.tenant_rates; delete from hookwright.outbox_emits');
    await shop
      .transaction(async (client) => {
        await client.query(EMIT, [stack.tenantId]);
        expect((await lease(stack.tenantId, 10, 1)).leased).toBe(1);
        throw new Error('rolled back');
      })
      .catch(() => {});
    expect(await stack.rows('select from hookwright.outbox_emits')).toEqual([]);
    expect((await lease(tenant, 10, 1)).leased).toBe(1);
  });

  test('notes nothing for a tenant without such a limit', async () => {
    await limit({ eventsPerSecond: null, bodyBytesMax: null, requestsPerSecond: 5 });
    await shop.transaction((client) => client.query(EMIT, [stack.tenantId]));
    expect(await stack.rows('select from hookwright.outbox_emits')).toEqual([]);
  });
});

test('daemons read who has limits of requests, and forget what was counted', async () => {
  const tenant = await newTenant();
  await limit({ requestsAtOnce: 3 }, tenant);
  await stack.rows(
    `insert into hookwright.outbox_emits values (${tenant}, 1, now() - interval '1 minute'), (${tenant}, 1, now())`,
  );
  const limits = await readRequestLimits(stack.services.db.pool);
  expect(limits.get(tenant)).toEqual({ requestsPerSecond: null, requestsAtOnce: 3 });
  expect(await stack.rows('select from hookwright.outbox_emits')).toHaveLength(1);
  await limit({ requestsAtOnce: null }, tenant);
  expect((await readRequestLimits(stack.services.db.pool)).has(tenant)).toBe(false);
});
