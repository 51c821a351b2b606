import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { commandLine } from '../../src/operations/rows/audit.js';
import { updateTenant } from '../../src/operations/tenants/update-tenant.js';
import { createWebhook } from '../../src/operations/webhooks/create-webhook.js';
import { deleteWebhook } from '../../src/operations/webhooks/delete-webhook.js';
import { updateWebhook } from '../../src/operations/webhooks/update-webhook.js';
import { eventually } from '../support/eventually.js';
import { makeKey, makeTenant, makeWebhook } from '../support/factories.js';
import { gid } from '../support/ids.js';
import { deliveries, LiveApi, type LiveStream, webhooks } from '../support/live-api.js';
import { answer, holdAnswers, startReceiver } from '../support/receiver.js';

const WITHIN_MS = 20_000;
const receiver = await startReceiver();
const api = await LiveApi.open({ MAX_RETRIES: '2', CORS_ORIGINS: 'https://app.example.com' });
await api.addServer();
api.stack.startDaemon();
afterEach(() => api.cutStreams());
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await receiver.close();
});

const ofDelivery = (stream: LiveStream, id: number) =>
  stream.updates.filter(({ delivery }) => delivery?.id === gid.delivery(id)).map(({ delivery }) => delivery);
const statuses = (stream: LiveStream, id: number) => ofDelivery(stream, id).map(({ status }) => status);
async function deliveryTo(webhookId: number, eventId: number): Promise<{ id: number }> {
  const [row] = await api.stack.deliveries(`event_id = ${eventId} and webhook_id = ${webhookId}`);
  return row!;
}
/** Removes equal neighbours, because a state may come twice. */
const distinct = (values: readonly unknown[]) => values.filter((value, index) => value !== values[index - 1]);

describe('deliveryUpdated', () => {
  test('begins where it was opened: its first line is an id to go on after, and there is no marker', async () => {
    const stream = await api.follow(deliveries);
    expect(stream.status).toBe(200);
    expect(stream.response.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    expect(stream.events).toEqual([]);
    const { id: webhookId } = await api.stack.webhook(receiver.url, ['booking.canceled']); // of the others none
    const canceled = { booking_code: 'B', canceled_at: 'now' };
    const { id } = await deliveryTo(webhookId, await api.stack.emit('booking.canceled', canceled));
    await eventually(() => statuses(stream, id).at(-1) === 'SUCCEEDED', WITHIN_MS);
    expect(stream.updates.filter(({ resync }) => resync)).toEqual([]);
    expect(stream.events.map((event) => event.id)).toEqual(stream.updates.map(({ cursor }) => cursor));
  });

  test('tells of each delivery from PENDING to SUCCEEDED, in every process, in that order', async () => {
    const held = holdAnswers(receiver, answer(200));
    const { id: webhookId } = await api.stack.webhook(receiver.url, ['coupon.applied']);
    const streams = [
      await api.follow(deliveries, { webhookId: gid.webhook(webhookId) }, { at: 0 }),
      await api.follow(deliveries, { webhookId: gid.webhook(webhookId) }, { at: 1 }),
    ];
    const { id } = await deliveryTo(webhookId, await api.stack.emit());
    const letAnswerGo = await held();
    for (const stream of streams) {
      await eventually(() => statuses(stream, id).at(-1) === 'PENDING', WITHIN_MS);
    }
    letAnswerGo();
    for (const stream of streams) {
      await eventually(() => statuses(stream, id).at(-1) === 'SUCCEEDED', WITHIN_MS);
      expect(distinct(statuses(stream, id))).toEqual(['PENDING', 'SUCCEEDED']);
      expect(ofDelivery(stream, id).at(-1)).toMatchObject({ attemptCount: 1, attempts: [{ number: 1 }] });
    }
  });

  test('tells of retries until a delivery has failed, and attempts never go back', async () => {
    receiver.answerWith(answer(500));
    const { id: webhookId } = await api.stack.webhook(receiver.url, ['coupon.applied']);
    const stream = await api.follow(deliveries, { webhookId: gid.webhook(webhookId) });
    const { id } = await deliveryTo(webhookId, await api.stack.emit());
    await eventually(() => statuses(stream, id).at(-1) === 'FAILED', WITHIN_MS);
    const told = ofDelivery(stream, id);
    expect(told.at(-1)).toMatchObject({ status: 'FAILED', attemptCount: 3 });
    expect(told.length).toBeGreaterThan(1);
    const counts = told.map(({ attemptCount }) => attemptCount);
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    for (const { attemptCount, attempts } of told) {
      expect(attempts.length).toBeGreaterThanOrEqual(attemptCount); // read right after the row
    }
  });

  test('tells of new deliveries before anything has been sent', async () => {
    const { id: webhookId } = await api.stack.webhook(receiver.url, ['coupon.applied']);
    await updateWebhook(api.stack.services.db, api.stack.tenantId, webhookId, { active: false }, 1, commandLine);
    const stream = await api.follow(deliveries, { webhookId: gid.webhook(webhookId) });
    const { id } = await deliveryTo(webhookId, await api.stack.emit());
    await eventually(() => statuses(stream, id).join() === 'HELD', WITHIN_MS);
  });

  test('brings only what its arguments ask for', async () => {
    receiver.answerWith(answer(200));
    const one = await api.stack.webhook(receiver.url, ['coupon.applied', 'booking.canceled']);
    const other = await api.stack.webhook(receiver.url, ['coupon.applied']);
    const webhookId = gid.webhook(one.id);
    const ofOne = await api.follow(deliveries, { webhookId });
    const ofType = await api.follow(deliveries, { webhookId, eventType: 'booking.canceled' });
    const succeeded = await api.follow(deliveries, { webhookId, status: 'SUCCEEDED' });
    const coupon = await api.stack.emit();
    const order = await api.stack.emit('booking.canceled', { id: '1', reason: 'r' });
    const mine = await api.stack.deliveries(`webhook_id = ${one.id} and event_id in (${coupon}, ${order})`);
    for (const { id } of mine) {
      await eventually(() => statuses(succeeded, id).length > 0, WITHIN_MS);
      await eventually(() => statuses(ofOne, id).at(-1) === 'SUCCEEDED', WITHIN_MS);
    }
    await eventually(() => ofType.updates.some(({ delivery }) => delivery?.status === 'SUCCEEDED'), WITHIN_MS);
    const told = (stream: LiveStream) => stream.updates.flatMap(({ delivery }) => delivery ?? []);
    expect(new Set(told(ofType).map(({ eventType }) => eventType))).toEqual(new Set(['booking.canceled']));
    expect(new Set(told(succeeded).map(({ status }) => status))).toEqual(new Set(['SUCCEEDED']));
    expect(new Set(told(ofOne).map(({ id }) => id))).toEqual(new Set(mine.map(({ id }) => gid.delivery(id))));
    expect(other.id).not.toBe(one.id);
  });

  test('foreign tenants see nothing', async () => {
    receiver.answerWith(answer(200));
    const stranger = await makeTenant(api.stack.services);
    const { id: webhookId } = await api.stack.webhook(receiver.url, ['coupon.applied']);
    const theirs = await api.follow(deliveries, {}, { key: stranger.key });
    const theirWebhooks = await api.follow(webhooks, {}, { key: stranger.key });
    const own = await api.follow(deliveries, { webhookId: gid.webhook(webhookId) });
    const { id } = await deliveryTo(webhookId, await api.stack.emit());
    await eventually(() => statuses(own, id).at(-1) === 'SUCCEEDED', WITHIN_MS);
    // What is theirs comes all the same, and is the first that comes.
    const { id: theirWebhook } = await makeWebhook(api.stack.services, stranger.id);
    await eventually(() => theirWebhooks.updates.length > 0, WITHIN_MS);
    expect(theirWebhooks.updates[0].webhookId).toBe(gid.webhook(theirWebhook));
    expect(theirs.updates).toEqual([]);
  });

  test('a platform key follows the tenant that it names', async () => {
    const { key } = await makeKey(api.stack.services, null, ['platform:admin']);
    const nameless = await api.subscribe(webhooks, {}, { key });
    await eventually(() => nameless.isComplete);
    expect(nameless.errors[0]?.extensions).toMatchObject({ code: 'FORBIDDEN', reason: 'tenant_required' });
    const headers = { 'hookwright-tenant': String(api.stack.tenantId) };
    const stream = await api.follow(webhooks, {}, { key, headers });
    const { id } = await api.stack.webhook(receiver.url);
    await eventually(() => stream.updates.some(({ webhookId }) => webhookId === gid.webhook(id)), WITHIN_MS);
    await deleteWebhook(api.stack.services.db, api.stack.tenantId, id, commandLine);
  });

  test('a platform key goes on following the tenant whose external id it has named, whoever gets that id', async () => {
    const { services, tenantId } = api.stack;
    const { key } = await makeKey(services, null, ['platform:admin']);
    const other = await makeTenant(services);
    const name = async (id: number, externalId: string | null) => {
      await updateTenant(services.db, id, { externalId }, commandLine);
      for (const { services: ofServer } of api.servers) {
        ofServer.authenticator.forgetTenant(id);
      }
    };
    await name(tenantId, 'acme');
    const named = 'subscription { webhookUpdated { cursor resync webhookId webhook { name } } }';
    const stream = await api.follow(named, {}, { key, headers: { 'hookwright-tenant': 'ext:acme' } });
    await name(tenantId, null);
    await name(other.id, 'acme');
    await makeWebhook(services, other.id);
    const { id } = await createWebhook(services.db, services.vault, services.random, {
      ...{ tenantId, url: receiver.url, eventTypes: ['*'], name: 'Shop', webhooksMax: 100, actor: commandLine },
    });
    await eventually(() => stream.updates.length > 0, WITHIN_MS);
    expect(stream.updates).toMatchObject([{ webhookId: gid.webhook(id), webhook: { name: 'Shop' } }]);
    await deleteWebhook(services.db, tenantId, id, commandLine);
  });
});

describe('webhookUpdated', () => {
  test('tells of a webhook that is made, paused, and deleted', async () => {
    const stream = await api.follow(webhooks);
    const { id } = await api.stack.webhook(receiver.url, ['booking.canceled']);
    const told = () => stream.updates.filter(({ webhookId }) => webhookId === gid.webhook(id));
    await eventually(() => told().at(-1)?.webhook.active === true, WITHIN_MS);
    const { db } = api.stack.services;
    await updateWebhook(db, api.stack.tenantId, id, { active: false }, 1, commandLine);
    await eventually(() => told().at(-1)?.webhook.disabledReason === 'PAUSED', WITHIN_MS);
    await deleteWebhook(db, api.stack.tenantId, id, commandLine);
    await eventually(() => told().at(-1)?.webhook === null, WITHIN_MS);
  });

  test('tells of failures that are counted, of this webhook only', async () => {
    receiver.answerWith(answer(500));
    const { id } = await api.stack.webhook(receiver.url, ['coupon.applied']);
    const stream = await api.follow(webhooks, { id: String(id) });
    await api.stack.emit();
    await eventually(() => stream.updates.at(-1)?.webhook?.consecutiveFailures > 0, WITHIN_MS);
    expect(stream.updates.slice(1).every(({ webhookId }) => webhookId === gid.webhook(id))).toBe(true);
  });

  test.each([
    ['webhookUpdated', webhooks, 'id'],
    ['deliveryUpdated', deliveries, 'webhookId'],
  ])('a foreign or unknown webhook is NOT_FOUND to %s', async (_name, subscription, argument) => {
    const stranger = await makeTenant(api.stack.services);
    const { id } = await api.stack.webhook(receiver.url, ['booking.canceled']);
    for (const [id_, key] of [
      [gid.webhook(id), stranger.key],
      ['999999', api.key],
    ] as const) {
      const stream = await api.subscribe(subscription, { [argument]: id_ }, { key });
      await eventually(() => stream.hasEnded);
      expect(stream.errors.map(({ extensions }) => extensions.code)).toEqual(['NOT_FOUND']);
      expect(stream.isComplete).toBe(true);
    }
  });

  test.each([
    ['webhookUpdated', webhooks, 'id'],
    ['deliveryUpdated', deliveries, 'webhookId'],
  ])('the id of another type is BAD_USER_INPUT to %s', async (_name, subscription, argument) => {
    const stream = await api.subscribe(subscription, { [argument]: 'ev_1' });
    await eventually(() => stream.hasEnded);
    expect(stream.errors.map(({ message }) => message)).toEqual([
      `${argument}: is the id of an event; the id of a webhook is needed, such as wh_12 or 12`,
    ]);
  });
});

test('a browser of an allowed origin may read the stream', async () => {
  const headers = { origin: 'https://app.example.com' };
  const stream = await api.follow(webhooks, {}, { headers });
  expect(stream.response.headers['access-control-allow-origin']).toBe('https://app.example.com');
  expect(stream.response.headers['x-request-id']).toEqual(expect.any(String));
});
