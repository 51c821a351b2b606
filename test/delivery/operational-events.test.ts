import { Webhook as StandardWebhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { raisePending, warnOfExpiringHolds } from '../../src/operations/attempts/raise-events.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { deleteWebhook } from '../../src/operations/webhooks/delete-webhook.js';
import { updateWebhook } from '../../src/operations/webhooks/update-webhook.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { makeTenant, makeWebhook } from '../support/factories.js';
import { operationalEvents, receivedOf, signatureOf } from '../support/operational-news.js';
import { answer, holdAnswers, type Receiver, startReceiver } from '../support/receiver.js';

const PATIENCE_MS = 20_000;
const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);

let stack: DeliveryStack;
let failing: Receiver;
let watching: Receiver;
let failingId: number;
let watcher: { id: number; secret: string };

/** A webhook whose receiver fails, and one of its owner that is told of everything the service has to tell. */
async function open(settings: Record<string, string> = {}) {
  stack = await DeliveryStack.open({ MAX_RETRIES: '0', ...settings });
  failing = await startReceiver(answer(500));
  watching = await startReceiver();
  ({ id: failingId } = await stack.webhook(`${failing.url}/in?token=abc`, ['*']));
  watcher = await stack.webhook(watching.url, [
    'webhook.disabled',
    'webhook.recovered',
    'delivery.exhausted',
    'webhook.held_expiring',
  ]);
}

beforeEach(() => open());
afterEach(async () => {
  await stack[Symbol.asyncDispose]();
  await Promise.all([failing.close(), watching.close()]);
});

const told = (type: string, receiver = watching) => eventually(() => receivedOf(receiver, type)[0], PATIENCE_MS);
const payloadOf = ({ body }: { body: Buffer }) => JSON.parse(body.toString()) as Record<string, string>;
const origin = () => new URL(failing.url).origin;
const change = (active: boolean, id = failingId) =>
  updateWebhook(stack.services.db, stack.tenantId, id, { active }, stack.services.config.holdHours, commandLine);
async function emitted(count: number): Promise<void> {
  for (let event = 0; event < count; event++) {
    await stack.emit();
  }
}
async function disable(): Promise<void> {
  await emitted(10);
  await eventually(async () => !(await stack.webhookRow(failingId)).active, PATIENCE_MS);
}

describe('webhook.disabled', () => {
  test('tells the tenant’s other webhooks at once, signed like every delivery', async () => {
    stack.startDaemon();
    await disable();

    const request = await told('webhook.disabled');
    expect(request.headers['x-service-signature']).toBe(signatureOf(watcher.secret, request.body));
    const verified = new StandardWebhook(watcher.secret).verify(
      request.body,
      request.headers as Record<string, string>,
    );
    expect(verified).toEqual({
      webhook_id: String(failingId),
      origin: origin(),
      reason: 'FAILURES',
      consecutive_failures: '10',
      disabled_at: TIMESTAMP,
      held_until: TIMESTAMP,
      count: '1',
    });
    expect(request.body.toString()).toBe(JSON.stringify(verified));
  });

  test('never tells the webhook that it is about, not even when that is enabled again', async () => {
    stack.startDaemon();
    await disable();
    await told('webhook.disabled');
    failing.answerWith(answer(200));
    await change(true);
    await stack.emit();
    await told('webhook.recovered');

    const about = `webhook_id = ${failingId} and event_type <> 'coupon.applied'`;
    expect(await stack.deliveries(about)).toEqual([]);
    expect(new Set(failing.received.map(({ headers }) => headers['x-service-event']))).toEqual(
      new Set(['coupon.applied']),
    );
  });

  test('tells of a 410 as GONE, and that its delivery has failed', async () => {
    failing.answerWith(answer(410));
    stack.startDaemon();
    await stack.emit();
    expect(payloadOf(await told('webhook.disabled'))).toMatchObject({
      reason: 'GONE',
      consecutive_failures: '1',
    });
    expect(payloadOf(await told('delivery.exhausted'))).toMatchObject({ last_error: 'HTTP_410' });
  });

  test('does not tell of a pause: that is the owner’s own act', async () => {
    stack.startDaemon();
    await change(false);
    await change(true);
    failing.answerWith(answer(200));
    const eventId = await stack.emit();
    await stack.reaches(eventId, 'SUCCEEDED');
    expect(await operationalEvents(stack)).toEqual([]);
  });

  test('is kept by an inactive webhook until it is enabled, like every event', async () => {
    await change(false, watcher.id);
    stack.startDaemon();
    await disable();
    expect(await stack.deliveries(`webhook_id = ${watcher.id} and event_type = 'webhook.disabled'`)).toMatchObject([
      { status: 'HELD' },
    ]);
    await change(true, watcher.id);
    await told('webhook.disabled');
  });

  test('reaches ["*"], and neither who wants other events nor another tenant', async () => {
    const [all, other] = await Promise.all([startReceiver(), startReceiver()]);
    await stack.webhook(all.url, ['*']);
    const { id: otherId } = await stack.webhook(other.url, ['booking.created']);
    const stranger = await makeTenant(stack.services);
    const { id: strangersId } = await makeWebhook(stack.services, stranger.id, { url: other.url });
    stack.startDaemon();
    await disable();
    await told('webhook.disabled', all);
    expect(await stack.deliveries(`webhook_id in (${otherId}, ${strangersId})`)).toEqual([]);
    await Promise.all([all.close(), other.close()]);
  });

  test('is written for a tenant without another webhook too, with nobody to be sent to', async () => {
    await deleteWebhook(stack.services.db, stack.tenantId, watcher.id, commandLine);
    stack.startDaemon();
    await disable();
    const [event] = await operationalEvents(stack, 'webhook.disabled');
    expect(event?.payload).toMatchObject({ webhook_id: String(failingId) });
    expect(await stack.deliveries(`event_id = ${event?.id}`)).toEqual([]);
  });

  test('stays silent about a webhook that was deleted while its requests were in flight', async () => {
    const arrived = holdAnswers(failing, answer(500));
    const eventId = await stack.emit();
    stack.startDaemon();
    const go = await arrived();
    await deleteWebhook(stack.services.db, stack.tenantId, failingId, commandLine);
    go();
    await stack.attempted(eventId, 1);
    expect(await operationalEvents(stack)).toEqual([]);
  });
});

describe('webhook.recovered', () => {
  test('tells of the first success after the webhook was enabled again, and not of its enabling', async () => {
    stack.startDaemon();
    await disable();
    await change(true);
    const early = await stack.emit();
    await stack.reaches(early, 'FAILED');
    expect(await operationalEvents(stack, 'webhook.recovered')).toEqual([]);

    failing.answerWith(answer(200));
    await emitted(3);
    expect(payloadOf(await told('webhook.recovered'))).toEqual({
      webhook_id: String(failingId),
      origin: origin(),
      disabled_at: TIMESTAMP,
      recovered_at: TIMESTAMP,
      count: '1',
    });
    await eventually(async () => (await stack.deliveries(`status = 'PENDING'`)).length === 0);
    expect(await operationalEvents(stack, 'webhook.recovered')).toHaveLength(1);
  });
});

describe('delivery.exhausted', () => {
  test('tells which delivery has failed for good, and of what', async () => {
    await stack[Symbol.asyncDispose]();
    await Promise.all([failing.close(), watching.close()]);
    await open({ MAX_RETRIES: '2' });
    const eventId = await stack.emit();
    stack.startDaemon();
    const request = await told('delivery.exhausted');
    expect(request.headers['x-service-signature']).toBe(signatureOf(watcher.secret, request.body));
    expect(payloadOf(request)).toEqual({
      webhook_id: String(failingId),
      origin: origin(),
      delivery_id: String((await stack.delivery(eventId)).id),
      event_id: String(eventId),
      event_type: 'coupon.applied',
      attempts: '3',
      last_error: 'HTTP_500',
      count: '1',
    });
  });
});

describe('webhook.held_expiring', () => {
  const holdFor = (hours: number, disabledHoursAgo: number) =>
    stack.rows(
      `update hookwright.webhooks set hold_until = now() + ${hours} * interval '1 hour',
         disabled_at = now() - ${disabledHoursAgo} * interval '1 hour' where id = ${failingId}`,
    );
  const warn = () => warnOfExpiringHolds(stack.services.db.pool);

  test('tells a day before held deliveries are canceled, also those of a paused webhook', async () => {
    await change(false);
    await emitted(3);
    await holdFor(23.9, 144);
    stack.startDaemon();
    const request = await told('webhook.held_expiring');
    expect(request.headers['x-service-signature']).toBe(signatureOf(watcher.secret, request.body));
    expect(payloadOf(request)).toEqual({
      webhook_id: String(failingId),
      origin: origin(),
      held_count: '3',
      expires_at: TIMESTAMP,
      count: '1',
    });
    expect(await warn()).toBe(0);
  });

  test.each([
    ['24 hours and a minute before', 24 + 1 / 60, 144, 0],
    ['24 hours before', 24, 144, 1],
    ['before half of a shorter hold is over', 6, 5.9, 0],
    ['when half of a shorter hold is over', 6, 6, 1],
    ['when the hold is over', -0.1, 168, 0],
  ])('%s', async (_, hours, disabledHoursAgo, warned) => {
    await change(false);
    await stack.emit();
    await holdFor(hours, disabledHoursAgo);
    expect(await warn()).toBe(warned);
  });

  test('once for each hold', async () => {
    await change(false);
    await stack.emit();
    await holdFor(10, 144);
    expect([await warn(), await warn()]).toEqual([1, 0]);
    await change(true);
    await change(false);
    await holdFor(9, 144);
    expect([await warn(), await warn()]).toEqual([1, 0]);
  });

  test('not of an active webhook, of one that holds nothing, or nothing but operational events', async () => {
    await holdFor(10, 144);
    expect(await warn()).toBe(0);
    await change(false);
    await holdFor(10, 144);
    expect(await warn()).toBe(0);
    await stack.emit();
    await stack.rows(`update hookwright.deliveries set event_type = 'webhook.disabled' where status = 'HELD'`);
    expect(await warn()).toBe(0);
    await stack.emit();
    expect(await warn()).toBe(1);
    expect(await raisePending(stack.services.db.pool)).toBe(0);
  });

  test('is found among many that hold nothing, of which each sweep examines a part', async () => {
    await change(false);
    await stack.emit();
    await holdFor(10, 144);
    await stack.rows(
      `insert into hookwright.webhooks (tenant_id, url, event_types, active, sealed_secret, hold_until, disabled_at)
       select tenant_id, url, event_types, active, sealed_secret, hold_until, disabled_at
       from hookwright.webhooks, generate_series(1, 500) where id = ${failingId}`,
    );
    await stack.rows(
      `update hookwright.deliveries set webhook_id = (select max(id) from hookwright.webhooks) where status = 'HELD'`,
    );
    await eventually(async () => (await warn()) === 1);
  });
});
