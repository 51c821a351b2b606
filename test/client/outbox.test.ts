import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOutbox, HookwrightError } from '../../packages/client/src/index.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { makeWebhook } from '../support/factories.js';
import { OutboxApplication } from '../support/outbox-application.js';

/** Arguments of the outbox. The ways to Postgres are in test/compatibility/outbox.test.ts. */

let stack: DeliveryStack;
let shop: OutboxApplication;
beforeAll(async () => {
  stack = await DeliveryStack.open();
  shop = await OutboxApplication.open(stack);
});
afterAll(async () => {
  await shop[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
});

const payload = { code: 'now', discount_type: 'percent' };
const emit = (options: object) =>
  createOutbox({ tenant: stack.tenantId }).pg(shop.pool).emit('coupon.applied', payload, options);
const eventOf = async ({ eventId }: { eventId: string }) => {
  const [event] = await stack.rows<object>(
    `select e.previous, e.ordering_key, e.targets, e.keep_until is not null as ends from (
       select e.*, (select k.ends_at from hookwright.event_ends k where k.event_id = e.id) as keep_until
       from hookwright.events e where e.id = ${eventId.slice(3)}) e`,
  );
  return event;
};

test('an event has its former state, its webhooks, its key and its end', async () => {
  const [{ id }, other] = [
    await makeWebhook(stack.services, stack.tenantId),
    await makeWebhook(stack.services, stack.tenantId),
  ];
  const previous = { code: "before ' $1 ?", discount_type: 'fixed' };
  const options = { previous, orderingKey: 'key', keepHours: 3, to: [{ webhookId: id }], idempotencyKey: 'all' };
  const emitted = await emit({ ...options, schemaChecked: true, schemaVersion: 1 });
  expect(emitted).toMatchObject({ deliveryCount: 1, duplicate: false });
  expect(await eventOf(emitted)).toEqual({
    previous: JSON.stringify(previous),
    ordering_key: 'key',
    targets: [String(id)],
    ends: true,
  });
  expect(await emit(options)).toMatchObject({ eventId: emitted.eventId, duplicate: true });
  expect((await emit({ to: [{ webhookId: `wh_${id}` }, { webhookId: `wh_${other.id}` }] })).deliveryCount).toBe(2);
  expect(await eventOf(await emit({}))).toEqual({ previous: null, ordering_key: null, targets: null, ends: false });
});

test.each([
  [{ keepHours: 0 }, 'keep_hours_out_of_range'],
  [{ to: [{ externalId: 'nobody' }] }, 'webhook_unknown'],
  [{ to: [{ webhookId: 'wh_x' }] }, 'webhook_unknown'],
  [{ to: [{ webhookId: 'ev_1' }] }, 'webhook_unknown'],
  [{ to: [{}] }, 'targets_malformed'],
  [{ previous: [] }, 'previous_no_json_object'],
  [{ schemaChecked: true, schemaVersion: 99 }, 'schema_version_unknown'],
])('%j is refused as %s', async (options, code) => {
  const refused: unknown = await emit(options).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(HookwrightError);
  expect(refused).toMatchObject({ code, retryable: false });
});
