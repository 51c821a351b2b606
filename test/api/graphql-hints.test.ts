import { afterAll, describe, expect, test } from 'vitest';
import { couponPayload, emitMany, makeTenant, makeWebhook } from '../support/factories.js';
import { dataOf, GraphqlApi } from '../support/graphql-api.js';

const api = await GraphqlApi.open();
const tenant = await makeTenant(api.services);
const { ask, mutate, read } = api.by(tenant);
afterAll(() => api.close());

const messagesOf = async (query: string, variables?: Record<string, unknown>): Promise<string[]> =>
  (await ask(query, variables)).errors.map(({ message }: { message: string }) => message);

describe('a field that a type does not have', () => {
  test.each([
    [
      '{ webhooks { id } }',
      'Cannot query field "id" on type "WebhookConnection". It is a page of a list: use nodes { id }.',
    ],
    [
      '{ deliveries { webhook { id } } }',
      'Cannot query field "webhook" on type "DeliveryConnection". It is a page of a list: use nodes { webhook { … } }.',
    ],
    [
      '{ deliveries { totalCount } }',
      'Cannot query field "totalCount" on type "DeliveryConnection". Lists are not counted, because that would read all of them. deliveryCounts counts deliveries up to a bound.',
    ],
    [
      '{ events { totalCount } }',
      'Cannot query field "totalCount" on type "EventConnection". Lists are not counted, because that would read all of them.',
    ],
    ['{ webhooks { nodes { events } } }', 'Cannot query field "events" on type "Webhook". Did you mean "eventTypes"?'],
  ])('%s says what is meant', async (query, message) => {
    expect(await messagesOf(query)).toEqual([message]);
  });

  test('keeps the message of graphql-js where nothing more is known', async () => {
    expect(await messagesOf('{ webhooks { nodes { colour } } }')).toEqual([
      'Cannot query field "colour" on type "Webhook".',
    ]);
    expect(await messagesOf('{ webhooks { colour } }')).toEqual([
      'Cannot query field "colour" on type "WebhookConnection".',
    ]);
  });
});

describe("the word of REST in place of GraphQL's", () => {
  test('in a document is named', async () => {
    const messages = await messagesOf(
      'mutation { createWebhook(input: {url: "https://example.com/", events: ["*"]}) { secret } }',
    );
    expect(messages).toContain(
      'Field "events" is not defined by type "CreateWebhookInput". Did you mean "eventTypes"?',
    );
  });

  test('in variables is named', async () => {
    const { errors } = await mutate('createWebhook', { url: 'https://example.com/', events: ['*'] }, 'secret');
    expect(errors[0].message).toMatch(/^input\.events: is not a field of this input, .*; did you mean eventTypes\?$/);
  });
});

describe('a misspelt event type', () => {
  const webhook = (eventType: string) =>
    mutate('createWebhook', { url: 'https://example.com/', eventTypes: [eventType] }, 'secret');

  test('of a webhook, of a filter and of an event gets the nearest one, and no list', async () => {
    const messages = [
      (await webhook('coupon.aplied')).errors[0].message,
      (await ask('{ deliveries(filter: {eventType: "booking.cancelled"}) { nodes { id } } }')).errors[0].message,
      (await mutate('emitEvent', { eventType: 'BookingCreated', payload: {} }, 'deliveryCount')).errors[0].message,
    ];
    expect(messages).toEqual([
      expect.stringMatching(/is not an event type; did you mean coupon\.applied\?$/),
      expect.stringMatching(/is not an event type; did you mean booking\.canceled\?$/),
      expect.stringMatching(/There is no such event type; did you mean booking\.created\?$/),
    ]);
  });

  test('that is near to none gets the list', async () => {
    expect((await webhook('order.paid')).errors[0].message).toContain('known types: booking.canceled, booking.created');
  });
});

describe('the event type of an emit', () => {
  const emit = (input: object) => mutate('emitEvent', { payload: couponPayload, ...input }, 'event { eventType }');

  test('is `eventType`, or `event` as before', async () => {
    for (const input of [{ eventType: 'coupon.applied' }, { event: 'coupon.applied' }]) {
      expect(dataOf(await emit(input)).emitEvent.event.eventType).toBe('coupon.applied');
    }
  });

  test('is refused at the field that names it, and where both or none do', async () => {
    const pathOf = async (input: object) => (await emit(input)).errors[0].extensions.errors[0];
    expect(await pathOf({ eventType: 'a.b' })).toMatchObject({ path: ['input', 'eventType'] });
    expect(await pathOf({ event: 'a.b' })).toMatchObject({ path: ['input', 'event'] });
    expect(await pathOf({})).toMatchObject({ path: ['input', 'eventType'], code: 'required' });
    const both = { eventType: 'coupon.applied', event: 'coupon.applied' };
    expect(await pathOf(both)).toMatchObject({ path: ['input', 'event'], code: 'contradiction' });
  });

  test('that is missing refuses its event alone', async () => {
    const events = [{ payload: couponPayload }, { eventType: 'coupon.applied', payload: couponPayload }];
    const { emitEvents } = dataOf(await mutate('emitEvents', { events }, 'results { event { id } error { path } }'));
    expect(emitEvents.results).toEqual([
      { event: null, error: { path: ['input', 'events', '0', 'eventType'] } },
      { event: { id: expect.any(String) }, error: null },
    ]);
  });

  test('of a scheduled event is `eventType` too', async () => {
    const input = { eventType: 'coupon.applied', payload: couponPayload, delaySeconds: 60 };
    const answer = dataOf(await mutate('scheduleEvent', input, 'scheduledEvent { eventType }'));
    expect(answer.scheduleEvent.scheduledEvent.eventType).toBe('coupon.applied');
  });
});

test('the nodes of a page are those of its edges, within the edges of other nodes too', async () => {
  await makeWebhook(api.services, tenant.id);
  await emitMany(api.services, tenant.id, 3);
  const page = 'nodes { id } edges { node { id } }';
  const { webhooks, events } = await read(
    `{ webhooks { ${page} } events(first: 2) { nodes { id deliveries { ${page} } } edges { node { id } } } }`,
  );
  for (const { nodes, edges } of [webhooks, ...events.nodes.map(({ deliveries }: never) => deliveries)]) {
    expect(nodes.length).toBeGreaterThan(0);
    expect(nodes).toEqual(edges.map(({ node }: { node: object }) => node));
  }
  expect(events.nodes.map(({ id }: { id: string }) => ({ node: { id } }))).toEqual(events.edges);
});
