import { afterAll, expect, test } from 'vitest';
import { traceAttempt } from '../../daemon/telemetry/trace-attempt.js';
import { BulkSite } from '../support/bulk-operations.js';
import { eventually } from '../support/eventually.js';
import { dataOf } from '../support/graphql-api.js';
import { answer, type Receiver, startReceiver } from '../support/receiver.js';

/** The method of requests, as the owner of the endpoint has set it. */

const site = await BulkSite.open();
const closing: Receiver[] = [];
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await Promise.all(closing.map((receiver) => receiver.close()));
});

async function endpoint(delivery: object, respond = answer(200)) {
  const receiver = await startReceiver(respond);
  closing.push(receiver);
  const input = { url: receiver.url, eventTypes: ['coupon.applied'], delivery };
  const { webhook } = dataOf(await site.mutate('createWebhook', input, 'webhook { id }')).result;
  return Object.assign(receiver, { id: webhook.id as string });
}

const emit = () =>
  site.mutate('emitEvent', { event: 'coupon.applied', payload: { code: 'X', discount_type: 'fixed' } }, 'event { id }');
const methodsAt = ({ received }: Receiver) => received.map(({ method }) => method);
/** The latest delivery, once it has this many attempts. */
const deliveryOf = ({ id }: { id: string }, attempts: number) =>
  eventually(async () => {
    const fields = 'status asCurl attempts { method }';
    const query = `{ webhook(id: "${id}") { deliveries(first: 1) { edges { node { ${fields} } } } } }`;
    const delivery = dataOf(await site.ask(query)).webhook.deliveries.edges[0]?.node;
    return delivery?.attempts.length === attempts && delivery;
  });

test('a request has its webhook method, by which it is shown, and other webhooks have theirs', async () => {
  const [put, usual] = [await endpoint({ method: 'PUT' }), await endpoint({})];
  dataOf(await emit());
  const waiting = await deliveryOf(put, 0);
  expect(waiting.asCurl).toContain('--request PUT ');
  site.startDaemon();
  await eventually(() => put.received.length === 1 && usual.received.length === 1);
  expect([methodsAt(put), methodsAt(usual)]).toEqual([['PUT'], ['POST']]);
  const [{ body, headers }] = put.received as [(typeof put.received)[number]];
  expect([body.toString(), headers['content-length']]).toEqual(['{"code":"X","discount_type":"fixed"}', '36']);
  expect(await deliveryOf(put, 1)).toMatchObject({
    asCurl: expect.stringContaining('--request PUT '),
    attempts: [{ method: 'PUT' }],
  });
  expect(await deliveryOf(usual, 1)).toMatchObject({
    asCurl: expect.stringContaining('--request POST '),
    attempts: [{ method: 'POST' }],
  });
});

test('a change holds from the next attempt on; attempts keep the method that they had', async () => {
  const hook = await endpoint({ method: 'PUT', retryDelaysSeconds: [3_600] }, answer(500));
  dataOf(await emit());
  await eventually(() => hook.received.length === 1);
  await deliveryOf(hook, 1);
  dataOf(await site.mutate('updateWebhook', { id: hook.id, delivery: { method: 'PATCH' } }, 'webhook { id }'));
  hook.answerWith(answer(200));
  const [{ node }] = dataOf(
    await site.ask(`{ webhook(id: "${hook.id}") { deliveries(first: 1) { edges { node { id } } } } }`),
  ).webhook.deliveries.edges;
  const { total } = dataOf(await site.mutate('attemptNow', { deliveryIds: [node.id] }, 'total')).result;
  expect(total).toBe(1);
  await eventually(() => hook.received.length === 2);
  expect(methodsAt(hook)).toEqual(['PUT', 'PATCH']);
  expect(await deliveryOf(hook, 2)).toMatchObject({
    asCurl: expect.stringContaining('--request PATCH '),
    attempts: [{ method: 'PUT' }, { method: 'PATCH' }],
  });
});

test('a trace names the method', () => {
  const started: unknown[][] = [];
  const tracing = { start: (...span: unknown[]) => started.push(span) && { traceparent: null } };
  const delivery = { traceparent: '00-1-2-01', url: 'https://a.example.com/' };
  traceAttempt(tracing as never, delivery as never, 'PATCH');
  expect(started[0]![3]).toMatchObject({ 'http.request.method': 'PATCH' });
});
