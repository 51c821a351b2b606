import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { dateToId } from '../../src/domain/delivery-id.js';
import { rollPartitions } from '../../src/operations/roll-partitions.js';
import { DeliveryStack } from '../support/delivery-stack.js';

const DAY_MS = 86_400_000;
let stack: DeliveryStack;
beforeEach(async () => {
  stack = await DeliveryStack.open();
});
afterEach(() => stack[Symbol.asyncDispose]());

const partitions = async (parent: string) =>
  (
    await stack.rows<{ name: string }>(
      `select hookwright.partitions_before('${parent}', '2200-01-01') as name`,
    )
  ).map(({ name }) => name);
const dayOf = (daysAgo: number) => new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);
const nameOf = (parent: string, daysAgo: number) => `${parent}_${dayOf(daysAgo).replaceAll('-', '')}`;

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
  test('the migration has made yesterday, today and two weeks ahead', async () => {
    const names = await partitions('deliveries');
    expect(names).toHaveLength(16);
    expect(names[0]).toBe(nameOf('deliveries', 1));
    expect(names.at(-1)).toBe(nameOf('deliveries', -14));
  });

  test('makes what is missing ahead', async () => {
    await stack.rows(`drop table hookwright.${nameOf('attempts', -14)}`);
    expect(await rollPartitions(stack.services.db.pool, 30)).toEqual({ made: 1, dropped: [], expired: 0 });
    expect(await partitions('attempts')).toHaveLength(16);
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
});
