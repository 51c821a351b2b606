import type pg from 'pg';
import { expect, test } from 'vitest';
import { EventTypeRegistry } from '../../src/operations/event-types/event-type-registry.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';

test('who asks for event types while they are changed is answered with the change', async () => {
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
  const registry = new EventTypeRegistry({ pool: slow as never }, () => new Date());
  const names = registry.names();
  await eventually(() => asked === 1);
  await stack.rows(
    `insert into hookwright.event_types (name, description, schema) values ('order.paid', 'An order.', '{}')`,
  );
  registry.forget();
  reply.resolve();
  expect(await names).toContain('order.paid');
});
