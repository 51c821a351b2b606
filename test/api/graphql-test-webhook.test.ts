import { describe, expect, test } from 'vitest';
import { makeKey, makeWebhook } from '../support/factories.js';
import { type Answer, codesOf, dataOf, nodesOf, openGraphql } from '../support/graphql-api.js';
import { gid } from '../support/ids.js';

const { api, tenant, mutate, read } = await openGraphql();
const webhookId = (await makeWebhook(api.services, tenant.id, { eventTypes: ['booking.created'] })).id;
const otherId = (await makeWebhook(api.services, tenant.id)).id;
const platform = api.by(await makeKey(api.services, null, ['platform:admin']));
const register = (name: string, schema: object) =>
  platform.mutate('registerEventType', { name, description: 'A thing.', schema }, 'eventType { name }');
await register('order.old', { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] });
const odd = { type: 'string', pattern: '^a$', minLength: 5 };
await register('order.odd', { type: 'object', properties: { x: odd }, required: ['x'] });
await platform.mutate('deprecateEventType', { name: 'order.old' }, 'eventType { name }');

const coupon = { code: 'SUMMER', discount_type: 'fixed' };
const send = (input: object) =>
  mutate(
    'testWebhook',
    { id: webhookId, ...input },
    `delivery { eventType status attemptCount attempts { number } webhookId
       event { body onlyWebhookId fanOut { edges { node { webhookId reason } } } } }`,
  );
const sent = async (input: object) => dataOf(await send(input)).testWebhook.delivery;
const issuesOf = ({ errors }: Answer) => errors[0]?.extensions.errors;

describe('a test', () => {
  test('is a webhook.test event, whatever the webhook subscribed to', async () => {
    const { event, ...delivery } = await sent({});
    expect(delivery).toEqual({
      eventType: 'webhook.test',
      status: 'PENDING',
      attemptCount: 0,
      attempts: [],
      webhookId: gid.webhook(webhookId),
    });
    expect(JSON.parse(event.body)).toEqual({ message: expect.any(String) });
  });

  test('of an inactive webhook is a conflict that names the way to try it', async () => {
    const { id } = await makeWebhook(api.services, tenant.id);
    await mutate('updateWebhook', { id, active: false }, 'webhook { id }');
    const answer = await send({ id });
    expect(codesOf(answer)).toEqual(['CONFLICT']);
    expect(answer.errors[0].message).toContain('held: KEEP');
    await mutate('deleteWebhook', { id }, 'deletedWebhookId');
  });
});

describe('a test with an event type of choice', () => {
  test('sends the payload to this webhook alone, whatever the webhooks subscribe to', async () => {
    const { event, ...delivery } = await sent({ eventType: 'coupon.applied', payload: coupon });
    const id = gid.webhook(webhookId);
    expect(delivery).toMatchObject({ eventType: 'coupon.applied', status: 'PENDING', webhookId: id });
    expect(event).toMatchObject({ body: JSON.stringify(coupon), onlyWebhookId: id });
    expect(nodesOf(event.fanOut)).toEqual([
      { webhookId: gid.webhook(otherId), reason: 'FOR_ANOTHER_WEBHOOK' },
      { webhookId: id, reason: null },
    ]);
  });

  test('without a payload sends the sample of its type', async () => {
    const { event } = await sent({ eventType: 'coupon.applied' });
    expect(JSON.parse(event.body)).toEqual({ code: 'text', discount_type: 'text' });
  });

  test('may be of a deprecated type, and of a reserved one as the service writes it', async () => {
    expect((await sent({ eventType: 'order.old', payload: { n: 7 } })).event.body).toBe('{"n":7}');
    const { event } = await sent({ eventType: 'webhook.disabled' });
    expect(JSON.parse(event.body)).toMatchObject({ reason: 'FAILURES' });
    expect(nodesOf(event.fanOut).map(({ reason }) => reason)).toEqual(['FOR_ANOTHER_WEBHOOK', null]);
  });

  const path = ['input', 'payload'];
  test.each([
    [
      'a payload that breaks the schema',
      { eventType: 'coupon.applied', payload: { code: 1 } },
      [
        { path: ['input', 'payload', 'discount_type'], code: 'schema_required' },
        { path: ['input', 'payload', 'code'], code: 'schema_type' },
      ],
    ],
    ['a type that nobody knows', { eventType: 'no.such' }, [{ path: ['input', 'eventType'] }]],
    ['a type without a sample and no payload', { eventType: 'order.odd' }, [{ path, code: 'no_sample_payload' }]],
    [
      'a payload of a reserved type',
      { eventType: 'webhook.disabled', payload: {} },
      [{ path, code: 'event_type_reserved' }],
    ],
    ['a payload without a type', { payload: coupon }, [{ path, code: 'event_type_reserved' }]],
  ])('refuses %s, and says where', async (_, input, issues) => {
    const answer = await send(input);
    expect(codesOf(answer)).toEqual(['BAD_USER_INPUT']);
    expect(issuesOf(answer)).toMatchObject(issues);
  });

  test('refuses a payload that an emit would refuse for its length', async () => {
    const payload = { ...coupon, code: 'x'.repeat(300_000) };
    const answer = await send({ eventType: 'coupon.applied', payload });
    expect(codesOf(answer)).toEqual(['PAYLOAD_TOO_LARGE']);
    expect(issuesOf(answer)).toMatchObject([{ path }]);
  });
});

test('an event that all subscribers got says so', async () => {
  const { data } = await mutate(
    'emitEvent',
    { event: 'coupon.applied', payload: coupon },
    'event { id onlyWebhookId }',
  );
  const { id, onlyWebhookId } = data.emitEvent.event;
  expect(onlyWebhookId).toBeNull();
  expect(await read(`{ event(id: "${id}") { onlyWebhookId } }`)).toEqual({ event: { onlyWebhookId: null } });
});

test('the replay of one event needs the event or a time, and not both', async () => {
  const replay = (filter: object) =>
    mutate('replayEvents', { webhookId, includeUnsubscribed: true, filter }, 'total bulkOperation { filter }');
  const path = ['input', 'filter', 'since'];
  expect(issuesOf(await replay({}))).toMatchObject([{ path, code: 'required' }]);
  const since = '2026-01-31T09:30:00+00:00';
  expect(issuesOf(await replay({ eventId: 'ev_1', since }))).toMatchObject([{ path, code: 'contradiction' }]);
  expect(codesOf(await replay({ eventId: 'ev_1' }))).toEqual(['NOT_FOUND']);
});
