import type pg from 'pg';
import { expect, test } from 'vitest';
import { EventTypeRegistry } from '../../src/operations/event-types/event-type-registry.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';

test('a change of event types is known at once, though an older reading is under way', async () => {
  await using stack = await DeliveryStack.open();
  const { pool } = stack.services.db;
  const reply = Promise.withResolvers<void>();
  let asked = 0;
  /** Whose first reply is a long time on its way. */
  const slow = {
    query: async (statement: pg.QueryConfig) => {
      asked += 1;
      const result = await pool.query(statement);
      await reply.promise;
      return result;
    },
  };
  const registry = new EventTypeRegistry({ pool: slow as never }, () => 0);
  const namesBefore = registry.names();
  await eventually(() => asked === 1);
  await stack.rows(
    `insert into hookwright.event_types (name, description, schema) values ('order.paid', 'An order.', '{}')`,
  );
  registry.forget();
  const names = registry.names();
  reply.resolve();
  expect((await namesBefore).all).not.toContain('order.paid');
  expect((await names).all).toContain('order.paid');
  expect((await registry.names()).all).toContain('order.paid');
});

test('the list of event types is the same one until one of them has changed', async () => {
  await using stack = await DeliveryStack.open();
  let now = 0;
  const registry = new EventTypeRegistry(stack.services.db, () => now);
  const readAgain = () => {
    now += 10_000;
    return registry.all();
  };
  let before = await registry.all();
  expect(await readAgain()).toBe(before);
  registry.forget();
  expect(await readAgain()).toBe(before);
  for (const change of [
    `insert into hookwright.event_types (name, description, schema) values ('order.paid', 'An order.', '{}')`,
    `update hookwright.event_types set description = 'A paid order.' where name = 'order.paid'`,
    `update hookwright.event_types set schema = '{"type": "object"}' where name = 'order.paid'`,
    `update hookwright.event_types set deprecated_at = now() where name = 'order.paid'`,
    `update hookwright.event_types set deprecated_at = null where name = 'order.paid'`,
  ]) {
    await stack.rows(change);
    const after = await readAgain();
    expect(after, change).not.toBe(before);
    const [row] = await stack.rows(
      `select description, schema, deprecated_at as "deprecatedAt" from hookwright.event_types where name = 'order.paid'`,
    );
    expect(after.find(({ name }) => name === 'order.paid')).toMatchObject(row as object);
    expect(await readAgain()).toBe(after);
    before = after;
  }
});
