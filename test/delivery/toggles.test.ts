import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';

const TOGGLES = process.env['FAULTS'] === 'long' ? 1_000 : 300;
/** Now and then a pause is long enough to see whether anything still arrives in it. */
const LONG_PAUSE_EVERY = 100;
const LONG_PAUSE_MS = 3_000;
/** What was loaded may wait half a second for a place in a window; a busy machine needs some time itself. */
const REQUEST_MS = 1_500;
/** So that a slow machine has not emitted more by the end than it can deliver in a minute. */
const EMIT_PAUSE_MS = 3;

test('hundreds of toggles of `active` under emits: nothing stays held, nothing is lost, nothing goes to an inactive webhook', async () => {
  await using stack = await DeliveryStack.open();
  const receiver = await stack.endpoint();
  stack.startDaemon();

  const pausedSpans: { from: number; to: number }[] = [];
  let toggling = true;
  const emitting = (async () => {
    const events: number[] = [];
    while (toggling) {
      events.push(await stack.emit());
      await delay(EMIT_PAUSE_MS);
    }
    return events;
  })();
  for (let toggle = 0; toggle < TOGGLES; toggle++) {
    const active = toggle % 2 === 1;
    // A span is within the time for which it was paused for certain.
    const before = Date.now();
    await stack.change(receiver.webhookId, { active });
    if (active) {
      pausedSpans.at(-1)!.to = before;
    } else {
      pausedSpans.push({ from: Date.now(), to: Number.POSITIVE_INFINITY });
    }
    if (toggle % LONG_PAUSE_EVERY === 0) {
      await delay(LONG_PAUSE_MS);
    }
  }
  toggling = false;
  const events = await emitting;

  await eventually(async () => {
    const open = await stack.deliveries("status <> 'SUCCEEDED'");
    return open.length === 0;
  }, 60_000);
  expect(await stack.deliveries()).toHaveLength(events.length);
  expect(new Set(receiver.received.map(({ headers }) => headers['x-service-delivery'])).size).toBe(events.length);
  await stack.noDeliveryJobs();

  // A request that was loaded before the pause may still arrive.
  const strays = receiver.received.filter(({ at }) =>
    pausedSpans.some(({ from, to }) => at.getTime() > from + REQUEST_MS && at.getTime() < to),
  );
  expect(strays).toEqual([]);
}, 120_000);
