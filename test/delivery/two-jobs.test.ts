import { expect, test } from 'vitest';
import { SendingStopped } from '../../daemon/liveness/fence.js';
import { LANES } from '../../src/domain/pacing/lanes.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { answer } from '../support/receiver.js';

test('a job that comes while an earlier attempt of its delivery is under way makes its own attempt afterwards', async () => {
  await using stack = await DeliveryStack.open();
  const receiver = await stack.endpoint();
  const { id } = await stack.delivery(await stack.emit());
  const deliverer = stack.deliverer();

  let answerFirst = () => {};
  receiver.answerWith((request, response) => {
    answerFirst = () => answer(500)(request, response);
    receiver.answerWith(answer(200));
  });
  const first = deliverer.deliver({ id, attempt: 1 }, LANES.FIRST.priority);
  await eventually(() => receiver.received.length === 1);
  // Another process was faster with the outcome, and has the retry made already.
  await stack.rows('update hookwright.deliveries set attempt_count = 1, due_at = now()');
  const second = deliverer.deliver({ id, attempt: 2 }, LANES.FIRST.priority);
  answerFirst();
  await Promise.all([first, second]);

  expect(receiver.received).toHaveLength(2);
  const [row] = await stack.deliveries();
  expect(row).toMatchObject({ status: 'SUCCEEDED', attempt_count: 2 });
});

test('of two that wait for a third which was stopped before it was sent, one makes the attempt', async () => {
  await using stack = await DeliveryStack.open();
  const receiver = await stack.endpoint();
  const { id } = await stack.delivery(await stack.emit());
  const sender = stack.sender();
  const stopped = Promise.withResolvers<never>();
  let sends = 0;
  const deliverer = stack.deliverer({
    ...sender,
    send: (...request) => {
      sends += 1;
      return sends === 1 ? stopped.promise : sender.send(...request);
    },
  });

  const first = deliverer.deliver({ id, attempt: 1 }, LANES.FIRST.priority);
  await eventually(() => sends === 1);
  const others = [
    deliverer.deliver({ id, attempt: 1 }, LANES.FIRST.priority),
    deliverer.deliver({ id, attempt: 1 }, LANES.FIRST.priority),
  ];
  stopped.reject(new SendingStopped('The daemon ends.'));
  await expect(first).rejects.toThrow('The daemon ends.');
  await Promise.all(others);

  expect(receiver.received).toHaveLength(1);
  expect(await stack.deliveries()).toMatchObject([{ status: 'SUCCEEDED', attempt_count: 1 }]);
});
