import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Emit } from '../../src/domain/events/emit.js';
import { LANES } from '../../src/domain/pacing/lanes.js';
import { Emitter } from '../../src/operations/emits/emit-events.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { createTenant } from '../../src/operations/tenants/create-tenant.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { couponEmit, makeTenant, makeWebhook } from '../support/factories.js';
import { deliveriesOf, jobsIn } from '../support/jobs.js';
import { OutboxApplication } from '../support/outbox-application.js';

const WEBHOOKS = 20;
let stack: DeliveryStack;
let small: number;

beforeAll(async () => {
  stack = await DeliveryStack.open();
  for (let made = 0; made < WEBHOOKS; made++) {
    await stack.webhook('http://127.0.0.1:9/');
  }
  small = (await makeTenant(stack.services)).id;
  await makeWebhook(stack.services, small);
});
afterAll(() => stack[Symbol.asyncDispose]());

const items = (count: number, tenantId = stack.tenantId, body = '{}'): Emit[] =>
  Array.from({ length: count }, () => couponEmit(tenantId, { body }));

describe('while a call that makes many deliveries is being written', () => {
  const heavy = () => items(40, stack.tenantId, '{"held":true}');

  test.each(['emit', 'emitAllOrNothing'] as const)(
    'a small emit of another tenant is answered, however many of them come by %s',
    async (how) => {
      await stack.rows(`create or replace function hookwright.hold() returns trigger language plpgsql as
        $$ begin perform pg_advisory_xact_lock_shared(4711); return new; end $$`);
      await stack.rows(`create or replace trigger hold before insert on hookwright.events
        for each row when (new.body ~ 'held') execute function hookwright.hold()`);
      const { emitter } = stack.services;
      const holder = new pg.Client(stack.databaseUrl);
      await holder.connect();
      try {
        await holder.query('select pg_advisory_lock(4711)');
        const written = Array.from({ length: 12 }, () => emitter[how](heavy()));
        await eventually(
          async () => (await stack.rows(`select from pg_locks where locktype = 'advisory' and not granted`)).length > 0,
        );
        for (let round = 0; round < 3; round++) {
          expect(await emitter.emit(items(1, small))).toMatchObject([{ refused: null, deliveryCount: 1 }]);
        }
        await holder.query('select pg_advisory_unlock(4711)');
        const results = (await Promise.all(written)).flat();
        expect(results).toHaveLength(480);
        expect(results.every((result) => result.refused === null && result.deliveryCount === WEBHOOKS)).toBe(true);
      } finally {
        await holder.end();
      }
    },
  );
});

test('single emits share a transaction until their deliveries, not they themselves, are many', async () => {
  const batches: number[] = [];
  const emitter = new Emitter(stack.services.db.pool, undefined, (events) => batches.push(events));
  await emitter.emit(items(1));
  await Promise.all(items(100).map((item) => emitter.emit([item])));
  expect(batches.reduce((sum, events) => sum + events)).toBe(101);
  expect(Math.max(...batches)).toBe(200 / WEBHOOKS);
});

test('long bodies count like deliveries: few of them share a transaction', async () => {
  const batches: number[] = [];
  const emitter = new Emitter(stack.services.db.pool, undefined, (events) => batches.push(events));
  const body = JSON.stringify({ text: 'x'.repeat(262_000) });
  await emitter.emit(items(1, small, body));
  await Promise.all(items(100, small, body).map((item) => emitter.emit([item])));
  expect(batches.reduce((sum, events) => sum + events)).toBe(101);
  expect(Math.max(...batches)).toBeLessThanOrEqual(200 / 4);
});

/** How many deliveries are in each lane, of events after this one. */
async function lanesAfter(event: number): Promise<Record<number, number>> {
  const ids = new Set((await stack.deliveries(`event_id > ${event}`)).map(({ id }) => id));
  const named = deliveriesOf(await jobsIn(stack)).filter(({ id }) => ids.has(id));
  const lanes = Map.groupBy(named, ({ priority }) => priority);
  return Object.fromEntries([...lanes].map(([priority, deliveries]) => [priority, deliveries.length]));
}
const lastEvent = async () =>
  (await stack.rows<{ id: number }>('select coalesce(max(id), 0) as id from hookwright.events'))[0]!.id;

describe('what one call makes beyond the share of its tenant is in the crowded lane', () => {
  test('from the first delivery on, and its neighbour of another tenant does not', async () => {
    const before = await lastEvent();
    await new Emitter(stack.services.db.pool).emit([...items(50), ...items(1, small)]);
    expect(await lanesAfter(before)).toEqual({
      [LANES.FIRST.priority]: 501,
      [LANES.CROWDED.priority]: 50 * WEBHOOKS - 500,
    });
  });

  test('also of an application, call by call, and in all of its calls together', async () => {
    const { db, vault } = stack.services;
    const { id: many } = await createTenant(db, vault, 'many', commandLine);
    await stack.rows(`insert into hookwright.webhooks (tenant_id, url, event_types, sealed_secret)
      select ${many}, url, event_types, sealed_secret from hookwright.webhooks where tenant_id = ${stack.tenantId}`);
    await using shop = await OutboxApplication.open(stack, [many, small]);
    const emit = async (count: number, tenantId = many) => {
      const before = await lastEvent();
      await shop.pool.query(
        `select * from hookwright.emit_events(array_fill($2::bigint, array[$1::integer]),
           array_fill('coupon.applied'::text, array[$1]), array_fill('{"code":"a","discount_type":"b"}'::text, array[$1]))`,
        [count, tenantId],
      );
      return lanesAfter(before);
    };
    expect(await emit(50)).toEqual({ [LANES.FIRST.priority]: 100, [LANES.CROWDED.priority]: 900 });
    // An hour ahead, so that it was lately however slow the test is.
    await stack.rows('update hookwright.deliveries set id = id + 14745600000');
    expect(await emit(1)).toEqual({ [LANES.CROWDED.priority]: WEBHOOKS });
    expect(await emit(1, small)).toEqual({ [LANES.FIRST.priority]: 1 });
  });
});
