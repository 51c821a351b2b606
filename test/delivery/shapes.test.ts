import { afterAll, beforeAll, expect, test } from 'vitest';
import { registerEventType, updateEventType } from '../../src/operations/event-types/register-event-type.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { readShape } from '../../src/platform/shapes/read-shape.js';
import { DeliveryStack, type Endpoint } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { answer } from '../support/receiver.js';

/** Shapes, as endpoints receive them. */

let stack: DeliveryStack;
beforeAll(async () => {
  stack = await DeliveryStack.open({ PAYLOAD_BYTES_MAX: '1024' });
  stack.startDaemon();
  const schema = {
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: 'array', items: { type: 'object', properties: { c: {} } } } },
  };
  await registerEventType(stack.services.db, { name: 'shaped.event', description: 'An event.', schema }, commandLine);
  stack.services.eventTypes.forget();
});
afterAll(() => stack[Symbol.asyncDispose]());

async function shape({ webhookId }: Endpoint, text: string): Promise<void> {
  const read = readShape(text, await stack.services.eventTypes.all());
  if ('faults' in read) {
    throw new Error(JSON.stringify(read.faults));
  }
  await stack.change(webhookId, { shape: { text, plan: read.plan } });
}
const bodies = ({ received }: Endpoint) => received.map(({ body }) => body.toString());

test('an event is sent in its shape, with the same bytes at each retry, whatever has changed meanwhile', async () => {
  let fails = true;
  const endpoint = await stack.endpoint(
    (request, response) => answer(fails ? 500 : 200)(request, response),
    ['shaped.event'],
  );
  await shape(endpoint, 'subscription { event { type ... on ShapedEvent { b { c } a } } }');
  const event = await stack.emit('shaped.event', { a: 'ü/', b: [{ c: 1, d: 2 }, {}], x: 1 });
  await eventually(() => endpoint.received.length >= 1);
  await shape(endpoint, 'subscription { event { ... on ShapedEvent { other: a } } }');
  const schema = { type: 'object', properties: { b: { type: 'string' } } };
  await updateEventType(stack.services.db, { name: 'shaped.event', schema }, commandLine);
  stack.startDaemon();
  await eventually(() => endpoint.received.length >= 3);
  fails = false;
  await stack.reaches(event, 'SUCCEEDED');
  expect(new Set(bodies(endpoint))).toEqual(new Set(['{"type":"shaped.event","b":[{"c":1},{"c":null}],"a":"ü/"}']));
  await stack.reaches(await stack.emit('shaped.event', { a: 'new' }), 'SUCCEEDED');
  expect(bodies(endpoint).at(-1)).toBe('{"other":"new"}');
  await stack.change(endpoint.webhookId, { shape: null });
  await stack.reaches(await stack.emit('shaped.event', { a: 'plain' }), 'SUCCEEDED');
  expect(bodies(endpoint).at(-1)).toBe('{"a":"plain"}');
});

test('a result that is larger than a payload may be is not sent, and does not count against the endpoint', async () => {
  const endpoint = await stack.endpoint(answer(200), ['coupon.applied']);
  await shape(endpoint, 'subscription { event { payload again: payload } }');
  const event = await stack.emit('coupon.applied', { code: 'x'.repeat(600), discount_type: 'fixed' });
  expect(await stack.reaches(event, 'FAILED')).toMatchObject({
    last_error_code: 'CONTENT_TOO_LARGE',
    attempt_count: 1,
  });
  expect(endpoint.received).toEqual([]);
  await stack.reaches(await stack.emit('coupon.applied', { code: 'Y', discount_type: 'fixed' }), 'SUCCEEDED');
  const [{ consecutive_failures: failures }] = (await stack.rows(
    `select consecutive_failures from hookwright.webhooks where id = ${endpoint.webhookId}`,
  )) as [{ consecutive_failures: number }];
  expect(failures).toBe(0);
});
