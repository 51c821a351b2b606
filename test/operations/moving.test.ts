import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandLine } from '../../src/operations/rows/audit.js';
import { deleteWebhook } from '../../src/operations/webhooks/delete-webhook.js';
import { DeliveryStack } from '../support/delivery-stack.js';

/** The marks of a tenant that moves to another cell (docs/decisions/0099). */

let stack: DeliveryStack;
beforeAll(async () => {
  stack = await DeliveryStack.open();
});
afterAll(() => stack?.[Symbol.asyncDispose]());

const mark = (moving: string | null) =>
  stack.services.db.pool.query('select hookwright.set_moving($1, $2)', [stack.tenantId, moving]);
const marks = () =>
  stack.rows(`select id, moving from hookwright.webhooks where tenant_id = ${stack.tenantId} order by id`);

test('a mark is that of a tenant and of all its webhooks, deleted and new ones too', async () => {
  const [kept, deleted] = [await stack.webhook('http://127.0.0.1:9/'), await stack.webhook('http://127.0.0.1:9/')];
  await deleteWebhook(stack.services.db, stack.tenantId, deleted.id, commandLine);
  await mark('DRAINING');
  const made = await stack.webhook('http://127.0.0.1:9/');
  expect(await stack.rows(`select moving from hookwright.tenants where id = ${stack.tenantId}`)).toEqual([
    { moving: 'DRAINING' },
  ]);
  expect(await marks()).toEqual([kept, deleted, made].map(({ id }) => ({ id, moving: true })));
  await mark(null);
  expect(await marks()).toEqual([kept, deleted, made].map(({ id }) => ({ id, moving: false })));
});
