import { afterEach, beforeEach, expect, test } from 'vitest';
import { BulkSite } from '../support/bulk-operations.js';
import { eventually } from '../support/eventually.js';
import { numberIn } from '../support/ids.js';
import { answer } from '../support/receiver.js';

let site: BulkSite;
beforeEach(async () => {
  site = await BulkSite.open();
});
afterEach(() => site[Symbol.asyncDispose]());

const payload = { code: 'SUMMER', discount_type: 'fixed' };

test('a test of a chosen type is retried and counted as any delivery is, and no other webhook ever gets it', async () => {
  const [tested, other] = [await site.webhook(['booking.created']), await site.webhook(['*'])];
  site.receiver.answerWith(answer(500));
  site.startDaemon();
  const { data, errors } = await site.mutate(
    'testWebhook',
    { id: String(tested), eventType: 'coupon.applied', payload },
    'delivery { id event { id } }',
  );
  expect(errors).toEqual([]);
  const deliveryId = numberIn(data.result.delivery.id);
  const failures = async () => {
    const { data } = await site.ask(`{ webhook(id: "${tested}") { consecutiveFailures } }`);
    return data.webhook.consecutiveFailures as number;
  };
  await eventually(async () => (await failures()) >= 2);
  site.receiver.answerWith(answer(200));
  await eventually(async () => (await site.statuses())['SUCCEEDED'] === 1);
  expect(await failures()).toBe(0);
  expect([...site.requests().keys()]).toEqual([deliveryId]);
  const [first] = site.receiver.received;
  expect(first?.headers['x-service-event']).toBe('coupon.applied');
  expect(first?.body.toString()).toBe(JSON.stringify(payload));

  const replayed = await site.start('replayEvents', {
    webhookId: String(other),
    includeDelivered: true,
    includeUnsubscribed: true,
    filter: { eventId: data.result.delivery.event.id },
  });
  expect(replayed.total).toBe(0);
});

test('one event goes to another webhook with the bytes that it has, and no other event does', async () => {
  const [event] = await site.past(3);
  const webhookId = await site.webhook(['booking.created']);
  site.startDaemon();
  const { total, operation } = await site.start('replayEvents', {
    webhookId: String(webhookId),
    includeUnsubscribed: true,
    filter: { eventId: `ev_${event}` },
  });
  expect(total).toBe(1);
  expect(operation.filter).toMatchObject({ eventId: `ev_${event}`, since: null });
  await site.reaches(operation.id, 'COMPLETED');
  await eventually(async () => (await site.statuses())['SUCCEEDED'] === 1);
  expect(await site.rows('select event_id, webhook_id from hookwright.deliveries')).toEqual([
    { event_id: event, webhook_id: webhookId },
  ]);
  expect(site.receiver.received[0]?.body.toString()).toBe('{"code":"X","discount_type":"fixed"}');
});
