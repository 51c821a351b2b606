import { afterAll, beforeAll, expect, test } from 'vitest';
import { ContentsOfDeliveries } from '../../daemon/delivery/contents.js';
import { ContentPace } from '../../src/domain/pacing/content-pace.js';
import type { DueDelivery } from '../../src/operations/attempts/load-deliveries.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { createTenant } from '../../src/operations/tenants/create-tenant.js';
import { DeliveryStack, type Endpoint } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { couponEmit, makeWebhook } from '../support/factories.js';
import { type Receiver, startReceiver } from '../support/receiver.js';

/** Contents that take long to make. */

const WEBHOOKS = 95;
const EVENTS = 2;
/** About 70 KB. */
const lines = Array.from({ length: 9_000 }, (_, index) => ({ n: index % 10 }));
const numbers = lines.map(({ n }) => n);

let stack: DeliveryStack;
let quiet: Receiver & { tenantId: number };
beforeAll(async () => {
  stack = await DeliveryStack.open();
  const { services } = stack;
  const { id: tenantId } = await createTenant(services.db, services.vault, 'quiet', commandLine);
  quiet = Object.assign(await startReceiver(), { tenantId });
  await makeWebhook(services, tenantId, { url: quiet.url, eventTypes: ['*'] });
});
afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await quiet.close();
});

/** Its own event at a time. @returns how many of the others had come by then */
async function exchange(events: number, others: Endpoint): Promise<number[]> {
  const counts: number[] = [];
  for (let sent = quiet.received.length + 1; counts.length < events; sent++) {
    await stack.services.emitter.emit([couponEmit(quiet.tenantId)]);
    await eventually(() => quiet.received.length >= sent, 30_000);
    counts.push(others.received.length);
  }
  return counts;
}

test('a tenant with dear contents on all of its webhooks waits for its own time, and another tenant for nothing', async () => {
  const dear = await stack.endpoint();
  for (let number = 0; number < WEBHOOKS; number++) {
    const { id } = number === 0 ? { id: dear.webhookId } : await stack.webhook(dear.url);
    const template = [`${number}: {{lines.n}}`, `{{lines.n}} ${number}`, '{{lines.n}}', number];
    await stack.change(id, { format: 'TEMPLATE', template });
  }
  const daemon = stack.startDaemon();
  await exchange(2, dear);
  await Promise.all(Array.from({ length: EVENTS }, () => stack.emit('coupon.applied', { lines })));

  const counts = await exchange(10, dear);
  // Both go on: the quiet tenant's events do not come behind all of the other one's.
  expect(counts.at(-1)).toBeLessThan((WEBHOOKS * EVENTS) / 2);
  expect(daemon.trouble).toBeNull();

  await eventually(() => dear.received.length === WEBHOOKS * EVENTS, 90_000);
  const list = numbers.join(', ');
  const bodies = dear.received.map(({ body }) => JSON.parse(body.toString()));
  for (const number of Array(WEBHOOKS).keys()) {
    const own = bodies.filter((body) => body[3] === number);
    expect(own).toHaveLength(EVENTS);
    expect(
      own.every(
        ([first, second, all]) =>
          first === `${number}: ${list}` && second === `${list} ${number}` && all.length === lines.length,
      ),
    ).toBe(true);
  }
}, 90_000);

test('a message to a chat about a payload of 256 KiB goes out', async () => {
  const chat = await stack.endpoint(undefined, ['booking.created']);
  await stack.change(chat.webhookId, { format: 'SLACK', text: '{{code}}: {{rows.n}}' });
  const rows = Array.from({ length: 28_000 }, () => ({ n: 1 }));
  await stack.emit('booking.created', { code: 'K7', rows });
  await eventually(() => chat.received.length === 1);
  expect(JSON.parse(chat.received[0]!.body.toString()).text).toMatch(/^K7: (1, ){300,}.*…$/);
});

test('webhooks with the same content share what was made of an event, and nobody else does', async () => {
  const [one, same, other] = [await stack.endpoint(), await stack.endpoint(), await stack.endpoint()];
  const template = { list: '{{lines.n}}', type: '{{@type}}' };
  await stack.change(one.webhookId, { format: 'TEMPLATE', template });
  await stack.change(same.webhookId, { format: 'TEMPLATE', template: { ...template } });
  await stack.change(other.webhookId, { format: 'TEMPLATE', template: { ...template, other: true } });
  const contents = new ContentsOfDeliveries({ ...stack.services, fence: { ending: false } });
  const pace = new ContentPace();
  const make = async (
    { webhookId }: Endpoint,
    { tenantId = stack.tenantId, eventId = 1, body = JSON.stringify({ lines }) } = {},
  ) => {
    const [row] = await stack.rows<{ id: number }>(
      `select content_id::float8 as id from hookwright.webhook_options where webhook_id = ${webhookId}`,
    );
    const delivery = { tenantId, eventType: 'a.b', body, content: { id: row!.id, eventId } } as DueDelivery;
    return (await contents.of(delivery, pace.begin()))!;
  };
  const first = await make(one);
  expect(JSON.parse(first.body)).toEqual({ list: numbers, type: 'a.b' });
  expect([await make(one), await make(same)].every((sent) => sent === first)).toBe(true);
  expect(JSON.parse((await make(other)).body)).toEqual({ list: numbers, type: 'a.b', other: true });
  const elsewhere = JSON.stringify({ lines: lines.slice(1) });
  for (const event of [{ tenantId: stack.tenantId + 1 }, { eventId: 2 }]) {
    expect(JSON.parse((await make(one, { ...event, body: elsewhere })).body).list).toEqual(numbers.slice(1));
  }
});
