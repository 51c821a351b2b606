import { afterAll, describe, expect, test } from 'vitest';
import { makeKey, makeTenant, makeWebhook } from '../support/factories.js';
import { type Answer, codesOf, GraphqlApi } from '../support/graphql-api.js';
import { gid } from '../support/ids.js';

const api = await GraphqlApi.open();
const tenant = await makeTenant(api.services);
const webhookId = (await makeWebhook(api.services, tenant.id, { eventTypes: ['booking.created'] })).id;
const otherId = (await makeWebhook(api.services, tenant.id)).id;
const platform = await makeKey(api.services, null, ['platform:admin']);
const register = (name: string, schema: object) =>
  api.ask(
    'mutation ($input: RegisterEventTypeInput!) { registerEventType(input: $input) { eventType { name } } }',
    { input: { name, description: 'A thing.', schema } },
    platform,
  );
await register('order.old', { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] });
const odd = { type: 'string', pattern: '^a$', minLength: 5 };
await register('order.odd', { type: 'object', properties: { x: odd }, required: ['x'] });
await api.ask('mutation { deprecateEventType(input: {name: "order.old"}) { eventType { name } } }', {}, platform);
afterAll(() => api.close());

const coupon = { code: 'SUMMER', discount_type: 'fixed' };
const send = (input: object): Promise<Answer> =>
  api.ask(
    `mutation ($input: TestWebhookInput!) { testWebhook(input: $input) { delivery {
       eventType status webhookId event { body onlyWebhookId fanOut { edges { node { webhookId reason } } } } } } }`,
    { input: { id: webhookId, ...input } },
    tenant,
  );
const issuesOf = ({ errors }: Answer) => errors[0]?.extensions.errors;

describe('a test with an event type of choice', () => {
  test('sends the payload to this webhook alone, whatever the webhooks subscribe to', async () => {
    const { data, errors } = await send({ eventType: 'coupon.applied', payload: coupon });
    expect(errors).toEqual([]);
    const { event, ...delivery } = data.testWebhook.delivery;
    const id = gid.webhook(webhookId);
    expect(delivery).toEqual({ eventType: 'coupon.applied', status: 'PENDING', webhookId: id });
    expect(event).toMatchObject({ body: JSON.stringify(coupon), onlyWebhookId: id });
    expect(event.fanOut.edges.map(({ node }: { node: object }) => node)).toEqual([
      { webhookId: gid.webhook(otherId), reason: 'FOR_ANOTHER_WEBHOOK' },
      { webhookId: id, reason: null },
    ]);
  });

  test('without a payload sends the sample of its type', async () => {
    const { data } = await send({ eventType: 'coupon.applied' });
    expect(JSON.parse(data.testWebhook.delivery.event.body)).toEqual({ code: 'text', discount_type: 'text' });
  });

  test('may be of a deprecated type, and of a reserved one as the service writes it', async () => {
    const old = await send({ eventType: 'order.old', payload: { n: 7 } });
    expect(old.data.testWebhook.delivery.event.body).toBe('{"n":7}');
    const { data, errors } = await send({ eventType: 'webhook.disabled' });
    expect(errors).toEqual([]);
    expect(JSON.parse(data.testWebhook.delivery.event.body)).toMatchObject({ reason: 'FAILURES' });
    expect(data.testWebhook.delivery.event.fanOut.edges.map((edge: never) => edge['node']['reason'])).toEqual([
      'FOR_ANOTHER_WEBHOOK',
      null,
    ]);
  });

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
    [
      'a type without a sample and no payload',
      { eventType: 'order.odd' },
      [{ path: ['input', 'payload'], code: 'no_sample_payload' }],
    ],
    [
      'a payload of a reserved type',
      { eventType: 'webhook.disabled', payload: {} },
      [{ path: ['input', 'payload'], code: 'event_type_reserved' }],
    ],
    ['a payload without a type', { payload: coupon }, [{ path: ['input', 'payload'], code: 'event_type_reserved' }]],
  ])('refuses %s, and says where', async (_, input, issues) => {
    const answer = await send(input);
    expect(codesOf(answer)).toEqual(['BAD_USER_INPUT']);
    expect(issuesOf(answer)).toMatchObject(issues);
  });

  test('refuses a payload that an emit would refuse for its length', async () => {
    const payload = { ...coupon, code: 'x'.repeat(300_000) };
    const answer = await send({ eventType: 'coupon.applied', payload });
    expect(codesOf(answer)).toEqual(['PAYLOAD_TOO_LARGE']);
    expect(issuesOf(answer)).toMatchObject([{ path: ['input', 'payload'] }]);
  });
});

test('an event that all subscribers got says so', async () => {
  const { data } = await api.ask(
    `mutation ($input: EmitEventInput!) { emitEvent(input: $input) { event { id onlyWebhookId } } }`,
    { input: { event: 'coupon.applied', payload: coupon } },
    tenant,
  );
  expect(data.emitEvent.event.onlyWebhookId).toBeNull();
  const read = await api.ask(`{ event(id: "${data.emitEvent.event.id}") { onlyWebhookId } }`, {}, tenant);
  expect(read.data.event).toEqual({ onlyWebhookId: null });
});

describe('the replay of one event', () => {
  const replay = (input: object) =>
    api.ask(
      'mutation ($input: ReplayEventsInput!) { replayEvents(input: $input) { total bulkOperation { filter } } }',
      { input: { webhookId, includeUnsubscribed: true, ...input } },
      tenant,
    );

  test('needs the event or a time, and not both', async () => {
    expect(issuesOf(await replay({ filter: {} }))).toMatchObject([
      { path: ['input', 'filter', 'since'], code: 'required' },
    ]);
    const since = '2026-01-31T09:30:00+00:00';
    expect(issuesOf(await replay({ filter: { eventId: 'ev_1', since } }))).toMatchObject([
      { path: ['input', 'filter', 'since'], code: 'contradiction' },
    ]);
    expect(codesOf(await replay({ filter: { eventId: 'ev_1' } }))).toEqual(['NOT_FOUND']);
  });
});
