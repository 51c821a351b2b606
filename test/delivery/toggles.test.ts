import { expect, test } from 'vitest';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';

const TOGGLES = process.env['FAULTS'] === 'long' ? 1_000 : 300;
const EMITS_PER_TOGGLE = 2;
/** Now and then a pause is long enough to see whether anything still arrives in it. */
const LONG_PAUSE_EVERY = 100;

test('hundreds of toggles of `active` under emits: nothing stays held, nothing is lost, nothing goes to an inactive webhook', async () => {
  await using stack = await DeliveryStack.open();
  const receiver = await stack.endpoint();
  stack.startDaemon();

  const events: number[] = [];
  const emit = async (count: number) => {
    for (let n = 0; n < count; n++) {
      events.push(await stack.emit());
    }
  };
  for (let toggle = 0; toggle < TOGGLES; toggle++) {
    const active = toggle % 2 === 1;
    await Promise.all([stack.change(receiver.webhookId, { active }), emit(EMITS_PER_TOGGLE)]);
    if (toggle % LONG_PAUSE_EVERY === 0) {
      // What was loaded before the pause may still arrive; its job ends after its request.
      await stack.noDeliveryJobs();
      const arrived = receiver.received.length;
      await emit(20 * EMITS_PER_TOGGLE);
      await stack.noDeliveryJobs();
      expect(receiver.received.length).toBe(arrived);
    }
  }

  await eventually(async () => {
    const open = await stack.deliveries("status <> 'SUCCEEDED'");
    return open.length === 0;
  }, 60_000);
  expect(await stack.deliveries()).toHaveLength(events.length);
  expect(new Set(receiver.received.map(({ headers }) => headers['x-service-delivery'])).size).toBe(events.length);
  await stack.noDeliveryJobs();
}, 240_000);
