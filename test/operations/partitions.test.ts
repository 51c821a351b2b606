import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { dateToId } from '../../src/domain/ids/delivery-id.js';
import { expire, openWith, rollPartitions } from '../../src/operations/housekeeping/roll-partitions.js';
import { transaction } from '../../src/platform/database/database.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { lockWaitsFor } from '../support/lock-waits.js';
import { openTransaction } from '../support/locks.js';

const DAY_MS = 86_400_000;
let stack: DeliveryStack;
beforeEach(async () => {
  stack = await DeliveryStack.open();
});
afterEach(() => stack[Symbol.asyncDispose]());

const partitions = async (parent: string) =>
  (await stack.rows<{ name: string }>(`select hookwright.partitions_before('${parent}', '2200-01-01') as name`)).map(
    ({ name }) => name,
  );
const dayOf = (daysAgo: number, now = Date.now()) => new Date(now - daysAgo * DAY_MS).toISOString().slice(0, 10);
const nameOf = (parent: string, daysAgo: number, now = Date.now()) =>
  `${parent}_${dayOf(daysAgo, now).replaceAll('-', '')}`;

async function pastDay(daysAgo: number): Promise<number> {
  for (const parent of ['events', 'deliveries', 'attempts']) {
    await stack.rows(`select hookwright.make_partition('${parent}', '${dayOf(daysAgo)}')`);
  }
  const id = dateToId(new Date(`${dayOf(daysAgo)}T12:00:00Z`));
  await stack.rows(`insert into hookwright.events values (${id}, ${stack.tenantId}, 'coupon.applied', '{}')`);
  await stack.rows(`insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status)
                    values (${id}, ${stack.tenantId}, ${id}, 1, 'coupon.applied', 'HELD')`);
  return id;
}

describe('rolling partitions', () => {
  test('makes yesterday, today and two weeks ahead', async () => {
    const before = Date.now();
    await rollPartitions(stack.services.db.pool, 30);
    const names = await partitions('deliveries');
    const now = names.at(-1) === nameOf('deliveries', -14, before) ? before : Date.now(); // midnight may have passed
    expect(names.slice(-16)).toEqual(Array.from({ length: 16 }, (_, day) => nameOf('deliveries', 1 - day, now)));
  });

  test('neither old nor new ones have bodies, headers and answers analyzed, which nothing is found by', async () => {
    const analyzedOf = async (partition: string) => {
      const columns = await stack.rows<{ name: string }>(
        `select attname as name from pg_attribute where attrelid = 'hookwright.${partition}'::regclass
           and attnum > 0 and not attisdropped and coalesce(attstattarget, -1) <> 0 order by attnum`,
      );
      return columns.map(({ name }) => name);
    };
    for (const day of [1, 0, -14, 40]) {
      await stack.rows(
        `select hookwright.make_partition(parent, '${dayOf(day)}') from unnest('{events,attempts}'::text[]) parent`,
      );
      expect(await analyzedOf(nameOf('events', day))).toEqual(['id', 'tenant_id', 'event_type', 'only_webhook_id']);
      expect(await analyzedOf(nameOf('attempts', day))).toEqual(['delivery_id', 'number']);
    }
  });

  test('new ones identify deliveries by tenant and id, also after a restore has made the indexes in another order', async () => {
    const identity = async (daysAgo: number) => {
      await stack.rows(`select hookwright.make_partition('deliveries', '${dayOf(daysAgo)}')`);
      const [row] = await stack.rows<{ definition: string }>(
        `select pg_get_indexdef(indexrelid) as definition from pg_index
         where indrelid = 'hookwright.${nameOf('deliveries', daysAgo)}'::regclass and indisreplident`,
      );
      return row?.definition;
    };
    expect(await identity(-100)).toMatch(/unique .*\(tenant_id, id desc\)$/i);
    await stack.rows('drop index hookwright.deliveries_tenant');
    await stack.rows('create unique index deliveries_tenant on hookwright.deliveries (tenant_id, id desc)');
    expect(await identity(-101)).toMatch(/unique .*\(tenant_id, id desc\)$/i);
  });

  test('makes what is missing ahead', async () => {
    await rollPartitions(stack.services.db.pool, 30);
    const there = await partitions('attempts');
    await stack.rows(`drop table hookwright.${nameOf('attempts', -14)}`);
    expect(await rollPartitions(stack.services.db.pool, 30)).toEqual({ made: 1, dropped: [], expired: 0 });
    expect(await partitions('attempts')).toEqual(there);
  });

  test('drops whole days beyond retention, events two days later, and expires what is still open', async () => {
    await pastDay(30);
    await pastDay(31);
    await pastDay(33);
    const rolled = await rollPartitions(stack.services.db.pool, 30);
    expect(rolled.dropped.toSorted()).toEqual(
      [
        nameOf('attempts', 31),
        nameOf('attempts', 33),
        nameOf('deliveries', 31),
        nameOf('deliveries', 33),
        nameOf('events', 33),
      ].toSorted(),
    );
    expect(rolled.expired).toBe(2);
    const kept = await stack.rows<{ status: string }>('select status from hookwright.deliveries');
    expect(kept).toEqual([{ status: 'HELD' }]);
  });

  test('finds what is still open by an index, however many deliveries the day had', async () => {
    await pastDay(31);
    await pastDay(33);
    const { pool } = stack.services.db;
    const texts: string[] = [];
    const watched = new Proxy(pool, {
      get: (target, name) =>
        name === 'query'
          ? (...[text, values]: [string, unknown[]]) => {
              texts.push(text);
              return target.query(text, values);
            }
          : Reflect.get(target, name, target),
    });
    for (const [parent, daysAgo] of [
      ['deliveries', 31],
      ['events', 33],
    ] as const) {
      await expire(watched, (await openWith(watched, parent, nameOf(parent, daysAgo)))!, () => {});
    }

    const plans = await transaction(pool, async (client) => {
      await client.query('set local enable_seqscan = off');
      const updates = texts.filter((text) => text.includes('CANCELED'));
      const explained = await Promise.all(
        updates.map((text) => client.query<{ 'QUERY PLAN': string }>(`explain ${text}`)),
      );
      return explained.map(({ rows }) => rows.map((row) => row['QUERY PLAN']).join('\n'));
    });
    expect(plans.length).toBeGreaterThanOrEqual(4);
    expect(plans.filter((plan) => /Seq Scan on deliveries/.test(plan))).toEqual([]);
  });

  test('expires what was replayed lately of an event that goes: it would have no body', async () => {
    const gone = await pastDay(33);
    const stays = await pastDay(32);
    const replayed = (eventId: number, status: string) =>
      stack.rows(`insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status)
                  values (hookwright.next_id(), ${stack.tenantId}, ${eventId}, 1, 'coupon.applied', '${status}')`);
    for (const status of ['HELD', 'PENDING', 'SUCCEEDED']) {
      await replayed(gone, status);
      await replayed(stays, status);
    }
    // Those of the days themselves, and the two that are open.
    expect((await rollPartitions(stack.services.db.pool, 30)).expired).toBe(4);
    const left = await stack.rows<{ status: string; cancel_reason: string | null }>(
      `select status, cancel_reason from hookwright.deliveries order by event_id, id`,
    );
    expect(left).toEqual([
      { status: 'CANCELED', cancel_reason: 'EXPIRED' },
      { status: 'CANCELED', cancel_reason: 'EXPIRED' },
      { status: 'SUCCEEDED', cancel_reason: null },
      { status: 'HELD', cancel_reason: null },
      { status: 'PENDING', cancel_reason: null },
      { status: 'SUCCEEDED', cancel_reason: null },
    ]);
  });

  test('what is redelivered while its day is dropped is expired, and not lost without a word', async () => {
    const id = await pastDay(31);
    await stack.rows(`update hookwright.deliveries set status = 'FAILED' where id = ${id}`);
    await using user = await openTransaction(
      stack.databaseUrl,
      `update hookwright.deliveries set status = 'PENDING' where id = ${id}`,
    );
    let expired = 0;
    const rolling = rollPartitions(stack.services.db.pool, 30, (deliveries) => (expired += deliveries));
    await eventually(async () => (await stack.rows(lockWaitsFor('AccessExclusiveLock'))).length > 0);
    await user.commit();
    expect((await rolling).dropped).toContain(nameOf('deliveries', 31));
    expect(expired).toBe(1);
  });

  test('a day that somebody reads is left for later, and keeps nobody waiting for long meanwhile', async () => {
    await pastDay(31);
    await using user = await openTransaction(stack.databaseUrl, `select from hookwright.${nameOf('deliveries', 31)}`);
    const rolling = rollPartitions(stack.services.db.pool, 30);
    const waits = lockWaitsFor('AccessExclusiveLock');
    await eventually(async () => (await stack.rows(waits)).length > 0);
    await eventually(async () => (await stack.rows(waits)).length === 0); // it has given up, to come again
    await stack.emit();
    await user.commit();
    expect((await rolling).dropped).toContain(nameOf('deliveries', 31));
  });
});
