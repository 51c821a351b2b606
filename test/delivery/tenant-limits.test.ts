import { expect, test } from 'vitest';
import { commandLine } from '../../src/operations/rows/audit.js';
import { updateTenant } from '../../src/operations/tenants/update-tenant.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';

/** What an operator allows the requests of a tenant, over all of its endpoints and all daemons. */

interface Limits {
  requestsPerSecond?: number | null;
  requestsAtOnce?: number | null;
}
const limit = (stack: DeliveryStack, limits: Limits) =>
  updateTenant(stack.services.db, stack.tenantId, limits, commandLine);

const beganAt = async (stack: DeliveryStack): Promise<{ at: number; webhookId: number }[]> =>
  (
    await stack.rows<{ at: Date; webhookId: number }>(
      `select a.started_at as at, d.webhook_id as "webhookId"
       from hookwright.attempts a join hookwright.deliveries d on d.id = a.delivery_id order by a.started_at`,
    )
  ).map(({ at, webhookId }) => ({ at: at.getTime(), webhookId }));

test('requests at a time are limited over all endpoints, and end with the limit', { timeout: 60_000 }, async () => {
  await using stack = await DeliveryStack.open();
  let inFlight = 0;
  let most = 0;
  const slow = () =>
    stack.endpoint((_, response) => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      setTimeout(() => {
        inFlight -= 1;
        response.writeHead(200).end();
      }, 50);
    });
  await Promise.all(Array.from({ length: 5 }, slow));
  await limit(stack, { requestsAtOnce: 3 });
  stack.startDaemon();
  await stack.emits(20);
  await stack.succeeded(100);
  expect(most).toBe(3);
  await limit(stack, { requestsAtOnce: null });
  await eventually(async () => {
    most = 0;
    await stack.emits(4);
    await eventually(async () => (await stack.deliveries("status = 'PENDING'")).length === 0, 20_000);
    return most > 3;
  }, 20_000);
});

test('a rate of the tenant is followed within seconds, and so is its end', { timeout: 60_000 }, async () => {
  await using stack = await DeliveryStack.open();
  await Promise.all([stack.endpoint(), stack.endpoint()]);
  const { registry } = stack.startDaemon();
  const follows = (tenants: number) =>
    eventually(
      async () => (await registry.getSingleMetricAsString('hookwright_tenants_limited')).endsWith(` ${tenants}`),
      10_000,
    );
  await stack.emits(3);
  await stack.succeeded(6);
  await limit(stack, { requestsPerSecond: 1 });
  await follows(1);
  const before = (await beganAt(stack)).length;
  await stack.emits(2);
  await eventually(async () => (await beganAt(stack)).length >= before + 3, 20_000);
  const [first, second, third] = (await beganAt(stack)).slice(before).map(({ at }) => at);
  expect(second! - first!).toBeGreaterThanOrEqual(900);
  expect(third! - second!).toBeGreaterThanOrEqual(900);
  await limit(stack, { requestsPerSecond: null });
  await follows(0);
  await stack.emits(20);
  await stack.succeeded(before + 44, 10_000);
});
