import { createHmac } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { BulkSite } from '../support/bulk-operations.js';
import { eventually } from '../support/eventually.js';
import { dataOf } from '../support/graphql-api.js';
import { numberIn } from '../support/ids.js';
import { answer, type Received, type Receiver, startReceiver } from '../support/receiver.js';

/** What is sent to an endpoint, as its owner has set it. */

const site = await BulkSite.open({ CLOUDEVENTS_SOURCE: 'https://events.example.com' });
afterAll(() => site[Symbol.asyncDispose]());
site.startDaemon();

const booking = { booking_code: 'K7', local_number: '12', brand: 'Übersee' };

interface Endpoint extends Receiver {
  id: string;
  secret: string;
}

const closing: Receiver[] = [];
afterAll(() => Promise.all(closing.map((receiver) => receiver.close())));

async function endpoint(content: object, more: object = {}): Promise<Endpoint> {
  const receiver = await startReceiver();
  closing.push(receiver);
  const input = { url: receiver.url, eventTypes: ['booking.created'], content, ...more };
  const { webhook, secret } = dataOf(await site.mutate('createWebhook', input, 'secret webhook { id }')).result;
  return Object.assign(receiver, { id: webhook.id, secret });
}

const setContent = async ({ id }: Endpoint, content: object) => {
  dataOf(await site.mutate('updateWebhook', { id, content }, 'webhook { id }'));
};
const emit = (payload: object = booking, eventType = 'booking.created') =>
  site.mutate('emitEvent', { event: eventType, payload }, 'event { id }').then(dataOf);

const received = ({ received }: Receiver, count = 1): Promise<Received> =>
  eventually(() => (received.length === count ? received.at(-1) : undefined));

const FIELDS = `id status lastErrorCode asCurl webhook { consecutiveFailures }
  attempts { number requestBody requestHeaders }`;
/** The latest delivery, once it has come to this state. */
const deliveryOf = ({ id }: Pick<Endpoint, 'id'>, status: string) =>
  eventually(async () => {
    const query = `{ webhook(id: "${id}") { deliveries(first: 1) { edges { node { ${FIELDS} } } } } }`;
    const delivery = dataOf(await site.ask(query)).webhook.deliveries.edges[0]?.node;
    return delivery?.status === status ? delivery : Promise.reject(new Error(JSON.stringify(delivery)));
  });

const isSigned = ({ headers, body }: Received, secret: string) =>
  headers['x-service-signature'] === `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

describe('a format', () => {
  test('decides body and headers, which are signed and shown as they were sent', async () => {
    const [message, cloudEvent] = [
      await endpoint({ format: 'SLACK' }),
      await endpoint({ format: 'CLOUDEVENTS_BINARY' }),
    ];
    const structured = await endpoint({ format: 'CLOUDEVENTS_STRUCTURED' });
    const { event } = (await emit()).result;
    const [slack, binary, envelope] = [await received(message), await received(cloudEvent), await received(structured)];
    expect(JSON.parse(slack.body.toString())).toEqual({
      text: '*Booking created*\nbooking_code: K7\nlocal_number: 12\nbrand: Übersee',
    });
    expect(slack.headers).toMatchObject({ 'content-type': 'application/json' });
    expect(JSON.parse(binary.body.toString())).toEqual(booking);
    const id = String(numberIn(event.id));
    expect(binary.headers).toMatchObject({
      'ce-specversion': '1.0',
      'ce-id': id,
      'ce-source': 'https://events.example.com',
      'ce-type': 'booking.created',
      'content-type': 'application/json',
    });
    expect(envelope.headers['content-type']).toBe('application/cloudevents+json');
    expect(JSON.parse(envelope.body.toString())).toMatchObject({ id, time: binary.headers['ce-time'], data: booking });
    for (const [one, request] of [
      [message, slack],
      [cloudEvent, binary],
      [structured, envelope],
    ] as const) {
      expect(isSigned(request, one.secret)).toBe(true);
      const { asCurl, attempts } = await deliveryOf(one, 'SUCCEEDED');
      expect(attempts[0].requestBody).toBe(request.body.toString());
      expect(asCurl).toContain(request.headers['content-type']);
      expect(attempts[0].requestHeaders['ce-id']).toBe(request.headers['ce-id']);
    }
  });

  test('is that of the delivery: retries and redeliveries repeat its bytes, until one is reshaped', async () => {
    const hook = await endpoint({ format: 'TEMPLATE', template: { a: '{{booking_code}}' } });
    hook.answerWith((request, response) => answer(hook.received.length === 1 ? 500 : 200)(request, response));
    await emit();
    await received(hook);
    await setContent(hook, { template: { b: '{{booking_code}}' } });
    await received(hook, 2);
    const { id } = await deliveryOf(hook, 'SUCCEEDED');
    const again = async (reshape: boolean, count: number) => {
      dataOf(await site.mutate('redeliver', { deliveryId: id, reshape }, 'delivery { id }'));
      await received(hook, count);
      return (await deliveryOf(hook, 'SUCCEEDED')).attempts.map(
        ({ requestBody }: { requestBody: string }) => requestBody,
      );
    };
    expect(await again(false, 3)).toEqual(['{"a":"K7"}', '{"a":"K7"}', '{"a":"K7"}']);
    expect(await again(true, 4)).toEqual([null, null, null, '{"b":"K7"}']);
    await setContent(hook, { format: 'JSON' });
    expect((await again(true, 5)).at(-1)).toBe(JSON.stringify(booking));
    expect(hook.received.map(({ body }) => body.toString().slice(0, 4))).toEqual([
      '{"a"',
      '{"a"',
      '{"a"',
      '{"b"',
      '{"bo',
    ]);
  });

  test('is in checks, tests and replays too', async () => {
    const hook = await endpoint({ format: 'DISCORD' });
    dataOf(await site.mutate('checkWebhook', { webhookId: hook.id }, 'delivery { id }'));
    const check = await received(hook);
    expect(JSON.parse(check.body.toString())).toMatchObject({
      content: '**Webhook test**\nmessage: A check of this webhook.',
    });
    dataOf(await site.mutate('testWebhook', { id: hook.id }, 'delivery { id }'));
    expect(JSON.parse((await received(hook, 2)).body.toString()).content).toContain('**Webhook test**');
    const late = await endpoint({ format: 'TEAMS_CARD', text: 'Booked: {{booking_code}}' });
    await emit();
    await received(late);
    await setContent(late, { text: 'Replayed: {{booking_code}}' });
    const filter = { since: new Date(Date.now() - 60_000).toISOString() };
    dataOf(await site.mutate('replayEvents', { webhookId: late.id, filter, includeDelivered: true }, 'total'));
    const replayed = await eventually(() => late.received.find(({ body }) => body.includes('Replayed')));
    expect(JSON.parse(replayed.body.toString()).body[0].text).toBe('Replayed: K7');
  });
});

test('a content that is too large fails its delivery, and not the endpoint', async () => {
  const template = Array.from({ length: 500 }, () => '{{brand}}');
  const hook = await endpoint({ format: 'TEMPLATE', template });
  await emit({ ...booking, brand: 'x'.repeat(1_000) });
  const { lastErrorCode, attempts, asCurl, webhook } = await deliveryOf(hook, 'FAILED');
  expect({ lastErrorCode, attempts, asCurl, webhook }).toEqual({
    lastErrorCode: 'CONTENT_TOO_LARGE',
    attempts: [{ number: 1, requestBody: null, requestHeaders: {} }],
    asCurl: null,
    webhook: { consecutiveFailures: 0 },
  });
  await emit();
  await received(hook);
});

test('an old connector of Teams that answers 200 and says that it failed is retried, with its answer kept', async () => {
  const text = 'Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 413';
  const [teams, slack] = [await endpoint({ format: 'TEAMS' }), await endpoint({ format: 'SLACK' })];
  for (const hook of [teams, slack]) {
    hook.answerWith(answer(200, {}, text));
  }
  await emit();
  const asked = `{ webhook(id: "${teams.id}") { deliveries(first: 1) { edges { node {
    lastErrorCode lastStatusCode nextAttemptAt webhook { consecutiveFailures }
    attempts { statusCode errorCode responseBody } } } } } }`;
  const failed = await eventually(async () => {
    const delivery = dataOf(await site.ask(asked)).webhook.deliveries.edges[0]?.node;
    return delivery?.lastErrorCode && delivery.attempts.length > 0 && delivery;
  });
  expect(failed).toEqual({
    lastErrorCode: 'MESSAGE_REFUSED',
    lastStatusCode: 200,
    nextAttemptAt: expect.any(String),
    webhook: { consecutiveFailures: 1 },
    attempts: [{ statusCode: 200, errorCode: 'MESSAGE_REFUSED', responseBody: text }],
  });
  await deliveryOf(slack, 'SUCCEEDED');
  const found = await site.ask('{ deliveries(filter: {errorCode: "MESSAGE_REFUSED"}) { edges { node { status } } } }');
  expect(dataOf(found).deliveries.edges).toEqual([{ node: { status: 'PENDING' } }]);
});

test('a chat gets a message a second, unless another rate is set', async () => {
  const rates = async ({ id }: Endpoint) =>
    dataOf(await site.ask(`{ webhook(id: "${id}") { delivery { ratePerSecond own } } }`)).webhook.delivery;
  const [slow, fast] = [
    await endpoint({ format: 'GOOGLE_CHAT', text: 'Booked: {{booking_code}}' }),
    await endpoint({ format: 'SLACK' }, { delivery: { ratePerSecond: 500 } }),
  ];
  expect(await rates(slow)).toEqual({ ratePerSecond: 1, own: [] });
  expect(await rates(fast)).toEqual({ ratePerSecond: 500, own: ['RATE_PER_SECOND'] });
  await Promise.all(Array.from({ length: 3 }, () => emit()));
  await received(fast, 3);
  await received(slow, 3);
  const [first, , third] = slow.received.map(({ at }) => at.getTime());
  expect(third! - first!).toBeGreaterThan(1_500);
  expect(JSON.parse(slow.received[0]!.body.toString())).toEqual({ text: 'Booked: K7' });
});

test('an operational event reads well in a chat', async () => {
  const chat = await endpoint({ format: 'SLACK' }, { eventTypes: ['webhook.disabled'] });
  const gone = await endpoint({}, { name: 'Booking <system>' });
  gone.answerWith(answer(410));
  await emit();
  const { text } = JSON.parse((await received(chat)).body.toString());
  expect(text).toMatch(
    /^\*Booking &lt;system&gt; was disabled\*\nThe endpoint was disabled on [\d-]+ [\d:]+ UTC, because it answered 410 Gone\./,
  );
});

test('a deleted webhook leaves the contents of its deliveries, which end with it', async () => {
  const hook = await endpoint({ format: 'TEMPLATE', template: ['{{booking_code}}'] });
  await emit();
  await received(hook);
  const { id } = await deliveryOf(hook, 'SUCCEEDED');
  dataOf(await site.mutate('deleteWebhook', { id: hook.id }, 'deletedWebhookId'));
  const { delivery } = dataOf(await site.ask(`{ delivery(id: "${id}") { attempts { requestBody } } }`));
  expect(delivery.attempts).toEqual([{ requestBody: '["K7"]' }]);
  const rows = await site.rows(
    `select ended_at is not null as ended from hookwright.webhook_contents c
     join hookwright.webhooks w on w.id = c.webhook_id where w.deleted_at is not null`,
  );
  expect(rows).toEqual([{ ended: true }]);
});

test('a webhook with a content is not plain, and one that has its plain payload again is', async () => {
  const hook = await endpoint({ format: 'SLACK', text: 'x' });
  const isPlain = () => site.rows(`select plain from hookwright.webhooks where id = ${numberIn(hook.id)}`);
  expect(await isPlain()).toEqual([{ plain: false }]);
  await setContent(hook, { format: null });
  expect(await isPlain()).toEqual([{ plain: true }]);
});
