import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { idToDate } from '../../src/domain/ids/delivery-id.js';
import { eraseDue, worthErasingSql } from '../../src/operations/erasure/retention.js';
import { emitScheduled } from '../../src/operations/scheduled/emit-scheduled.js';
import { scheduleEvent } from '../../src/operations/scheduled/schedule-event.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { couponEmit, makeTenant } from '../support/factories.js';
import { lockRows } from '../support/locks.js';

const stack = await DeliveryStack.open();
afterAll(() => stack[Symbol.asyncDispose]());
const { pool } = stack.services.db;

beforeEach(async () => {
  await stack.rows('update hookwright.tenants set retention_days = null');
  await stack.rows('delete from hookwright.tenant_erasures');
  await stack.rows('delete from hookwright.event_ends');
});

const keep = (days: number, tenantId = stack.tenantId) =>
  stack.rows(`update hookwright.tenants set retention_days = ${days} where id = ${tenantId}`);

/** Events of some days ago, one a minute, in a day's partition that is made for them. */
async function past(days: number, count: number, tenantId = stack.tenantId): Promise<number[]> {
  await stack.rows(`select hookwright.make_partition('events', ((now() at time zone 'UTC')::date - ${days})::date)`);
  const made = await stack.rows<{ id: number }>(
    `insert into hookwright.events (id, tenant_id, event_type, body)
     select hookwright.id_at(date_trunc('day', now() at time zone 'UTC') at time zone 'UTC' - ${days} * interval '1 day')
              + n * 4096 + ${tenantId}, ${tenantId}, 'coupon.applied', '{"code":"X"}' from generate_series(1, ${count}) n
     returning id`,
  );
  return made.map(({ id }) => Number(id));
}
const erased = async (tenantId = stack.tenantId) => {
  const found = await stack.rows<{ id: number }>(
    `select id from hookwright.events where erased_at is not null and tenant_id = ${tenantId} order by id`,
  );
  return found.map(({ id }) => Number(id));
};
const isWorth = async () =>
  (await stack.rows<{ worth: boolean }>(`select ${worthErasingSql} as worth`))[0]!.worth === true;

describe('the retention of a tenant', () => {
  test('erases what is older, of this tenant alone, and nothing twice', async () => {
    const other = await makeTenant(stack.services);
    const [old, young] = [await past(5, 3), await past(2, 3)];
    await past(5, 2, other.id);
    expect(await isWorth()).toBe(false);
    await keep(3);
    expect(await isWorth()).toBe(true);
    expect(await eraseDue(pool, {})).toBe(3);
    expect(await erased()).toEqual(old);
    expect(await erased(other.id)).toEqual([]);
    expect(await eraseDue(pool, {})).toBe(0);
    await keep(1);
    expect(await eraseDue(pool, {})).toBe(3);
    expect(await erased()).toEqual([...old, ...young]);
  });

  test('goes on where a run has ended, in chunks', async () => {
    const tenant = await makeTenant(stack.services);
    await past(4, 1_200, tenant.id);
    await keep(3, tenant.id);
    let [runs, done] = [0, 0];
    while (done < 1_200 && runs < 20) {
      done += await eraseDue(pool, {});
      runs += 1;
    }
    expect(done).toBe(1_200);
    const [cursor] = await stack.rows<{ done_to: number }>(
      `select done_to from hookwright.tenant_erasures where tenant_id = ${tenant.id}`,
    );
    expect(Date.now() - idToDate(Number(cursor!.done_to)).getTime()).toBeLessThan(3.01 * 86_400_000);
  });

  test('leaves what somebody has locked for later, and goes on with other tenants', async () => {
    const [first, second] = [await makeTenant(stack.services), await makeTenant(stack.services)];
    const [[locked], [free]] = [await past(4, 1, first.id), await past(4, 1, second.id)];
    await Promise.all([keep(3, first.id), keep(3, second.id)]);
    await using lock = await lockRows(stack.databaseUrl, 'hookwright.events', `id = ${locked}`);
    expect(await eraseDue(pool, {})).toBe(1);
    expect(await erased(second.id)).toEqual([free]);
    await lock.letGo();
    expect(await eraseDue(pool, {})).toBe(1);
  });

  test('erases scheduled events that were canceled before', async () => {
    const tenant = await makeTenant(stack.services);
    await stack.rows(
      `insert into hookwright.scheduled_events (tenant_id, event_type, body, deliver_at, due_at, status, finished_at)
       select ${tenant.id}, 'coupon.applied', '{"code":"X"}', now(), now(), 'CANCELED', now() - days * interval '1 day'
       from unnest(array[1, 5]) days`,
    );
    await keep(3, tenant.id);
    expect(await eraseDue(pool, {})).toBe(1);
    const found = await stack.rows(
      `select body from hookwright.scheduled_events where tenant_id = ${tenant.id} order by id`,
    );
    expect(found).toEqual([{ body: '{"code":"X"}' }, { body: '{}' }]);
  });
});

describe('an event that is kept for some hours', () => {
  const end = () => stack.rows(`update hookwright.event_ends set ends_at = now()`);

  test('is erased then, and others of its batch are not', async () => {
    const emits = [couponEmit(stack.tenantId, { keepHours: 2 }), couponEmit(stack.tenantId)];
    const [kept] = await stack.services.emitter.emit(emits);
    const [row] = await stack.rows<{ hours: number }>(
      `select round(extract(epoch from ends_at - now()) / 3600)::integer as hours from hookwright.event_ends`,
    );
    expect(row).toEqual({ hours: 2 });
    expect(await isWorth()).toBe(false);
    const before = await erased();
    await end();
    expect(await isWorth()).toBe(true);
    expect(await eraseDue(pool, {})).toBe(1);
    expect((await erased()).filter((id) => !before.includes(id))).toEqual([(kept as { eventId: number }).eventId]);
    expect(await stack.rows('select from hookwright.event_ends')).toEqual([]);
  });

  test('counts its hours from its own time when it was scheduled', async () => {
    const event = { ...couponEmit(stack.tenantId), keepHours: 5, deliverAt: null, delaySeconds: 3_600 };
    await scheduleEvent(stack.services.db, event);
    expect(await stack.rows('select from hookwright.event_ends')).toEqual([]);
    await stack.rows(`update hookwright.scheduled_events set due_at = now() where status = 'SCHEDULED'`);
    await emitScheduled(pool);
    const [row] = await stack.rows(
      `select round(extract(epoch from ends_at - now()) / 3600)::integer as hours from hookwright.event_ends`,
    );
    expect(row).toEqual({ hours: 5 });
  });

  test('stays one event when the emit is repeated, with its first end', async () => {
    const emit = couponEmit(stack.tenantId, { keepHours: 2, idempotencyKey: 'kept' });
    await stack.services.emitter.emit([emit]);
    const [again] = await stack.services.emitter.emit([{ ...emit, keepHours: 9 }]);
    expect(again).toMatchObject({ duplicate: true });
    expect(await stack.rows('select from hookwright.event_ends')).toHaveLength(1);
  });
});
