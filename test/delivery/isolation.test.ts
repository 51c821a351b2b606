import { afterEach, beforeEach, expect, test } from 'vitest';
import { readEndpointStates } from '../../src/operations/attempts/endpoint-states.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { emitMany } from '../support/factories.js';
import { deliveriesOf, jobsIn, OF_DELIVERIES } from '../support/jobs.js';

const EVENTS = 100;
const SLOW = { timeout: 120_000 };
const WITHIN_MS = 40_000;

let stack: DeliveryStack;
beforeEach(async () => {
  stack = await DeliveryStack.open({
    DELIVERY_CONCURRENCY: '20',
    ENDPOINT_CONCURRENCY_MAX: '12',
    // No attempt ends by itself before a busy machine has done the rest.
    ATTEMPT_TIMEOUT_MS: '120000',
  });
});
afterEach(() => stack[Symbol.asyncDispose]());

test(
  'an endpoint that never answers holds a few slots; its neighbour gets everything, and its own events wait unharmed',
  SLOW,
  async () => {
    const hung = await stack.endpoint(() => {});
    const healthy = await stack.endpoint();
    stack.startDaemon();
    await stack.emits(EVENTS);

    await eventually(() => healthy.received.length === EVENTS, WITHIN_MS);
    expect(hung.inFlightPeak).toBeLessThanOrEqual(8);
    const waiting = await stack.deliveries(`webhook_id = ${hung.webhookId}`);
    expect(waiting).toHaveLength(EVENTS);
    expect(waiting.every(({ status, attempt_count }) => status === 'PENDING' && attempt_count === 0)).toBe(true);
    // Each has a job of its own, or shares one.
    const named = deliveriesOf(await jobsIn(stack, OF_DELIVERIES));
    expect(named.map(({ id }) => id)).toEqual(expect.arrayContaining(waiting.map(({ id }) => id)));

    const state = await eventually(async () => {
      const states = await readEndpointStates(stack.services.db, stack.tenantId, [hung.webhookId]);
      const reported = states.get(hung.webhookId);
      return reported && reported.putOffs >= EVENTS - 8 && reported.waiting === 0 && reported;
    });
    expect(state).toMatchObject({ window: 8, inFlight: 8, meanMs: null });
  },
);

test.each([
  { ms: 30, events: 4 * EVENTS, peakMin: 9 }, // above the 8 at which a window begins
  { ms: 700, events: 30, peakMin: 1 },
])(
  'an endpoint that answers in $ms ms gets all $events events once, as many at a time as its window has',
  SLOW,
  async ({ ms, events, peakMin }) => {
    const healthy = await stack.endpoint((_, response) => setTimeout(() => response.writeHead(200).end(), ms));
    stack.startDaemon();
    await stack.emits(events);

    await stack.succeeded(events, WITHIN_MS);
    expect(healthy.received).toHaveLength(events);
    expect(healthy.inFlightPeak).toBeGreaterThanOrEqual(peakMin);
    expect(healthy.inFlightPeak).toBeLessThanOrEqual(12);
  },
);

test('tests of a slow endpoint go ahead of its backlog', SLOW, async () => {
  const slow = await stack.endpoint((_, response) => setTimeout(() => response.writeHead(200).end(), 700));
  stack.startDaemon();
  await stack.emits(EVENTS);
  await eventually(() => slow.received.length >= 16, WITHIN_MS);

  const before = slow.received.length;
  const tests = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const [eventId] = await emitMany(stack.services, stack.tenantId, 1, slow.webhookId);
      return String((await stack.delivery(eventId!)).id);
    }),
  );
  const order = () => slow.received.map(({ headers }) => headers['x-service-delivery']);
  await eventually(() => tests.every((test) => order().includes(test)), WITHIN_MS);
  // Behind those that were in flight, and a few whose time came before a permit was free.
  expect(Math.max(...tests.map((test) => order().indexOf(test)))).toBeLessThan(before + 48);
});
