import { afterEach, beforeEach, expect, test } from 'vitest';
import { scheduleDeliveries } from '../../src/operations/deliveries/schedule-deliveries.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { deleteJobs, jobsIn, ofDelivery } from '../support/jobs.js';
import { answer, startReceiver } from '../support/receiver.js';

let stack: DeliveryStack;

beforeEach(async () => {
  stack = await DeliveryStack.open();
});
afterEach(() => stack[Symbol.asyncDispose]());

/** A delivery whose first attempt has failed, and whose retry is due in so many seconds; it has no job. */
async function retryIn(seconds: number, status = 'PENDING'): Promise<number> {
  const { id } = await stack.delivery(await stack.emit());
  await deleteJobs(stack, ofDelivery(id));
  await stack.rows(
    `update hookwright.deliveries set attempt_count = 1, status = '${status}',
       due_at = now() + ${seconds} * interval '1 second' where id = ${id}`,
  );
  return id;
}

const jobOf = async (id: number) => (await jobsIn(stack, ofDelivery(id)))[0];

test('a retry gets its job 20 seconds ahead, for the time when it is due', async () => {
  await stack.webhook('http://127.0.0.1:1/');
  const near = await retryIn(19);
  const far = await retryIn(25);
  expect(await scheduleDeliveries(stack.services.db.pool)).toBe(1);
  expect(await jobOf(near)).toMatchObject({
    payload: { id: near, attempt: 2 },
    run_at: (await stack.deliveries(`id = ${near}`))[0]!.due_at,
  });
  expect(await jobOf(far)).toBeUndefined();
});

test('neither held nor finished deliveries get one, and none gets a second one', async () => {
  await stack.webhook('http://127.0.0.1:1/');
  await retryIn(5, 'HELD');
  await retryIn(5, 'FAILED');
  await retryIn(5);
  expect(await scheduleDeliveries(stack.services.db.pool)).toBe(1);
  expect(await scheduleDeliveries(stack.services.db.pool)).toBe(0);
});

test('a job that names an attempt already made counts for nothing: the retry gets its own in its place', async () => {
  await stack.webhook('http://127.0.0.1:1/');
  const id = await retryIn(19);
  await stack.rows(
    `select hookwright.enqueue_deliveries(array[${id}], array[1], array[now() + interval '1 hour'], array[0])`,
  );
  expect(await scheduleDeliveries(stack.services.db.pool)).toBe(1);
  expect(await jobOf(id)).toMatchObject({ payload: { id, attempt: 2 } });
  expect(await scheduleDeliveries(stack.services.db.pool)).toBe(0);
});

test('a retry that is due within a minute has its job from the start, a later one has none yet', async () => {
  for (const [baseSeconds, jobs] of [
    ['59', 1],
    ['62', 0],
  ] as const) {
    await using own = await DeliveryStack.open({ RETRY_BASE_SECONDS: baseSeconds });
    await using receiver = await startReceiver(answer(500));
    await own.webhook(receiver.url);
    const eventId = await own.emit();
    own.startDaemon();
    await eventually(async () => (await own.delivery(eventId)).attempt_count === 1);
    const { id } = await own.delivery(eventId);
    // The job of the first attempt goes after its outcome is recorded.
    const jobsLeft = () => jobsIn(own, ofDelivery(id));
    await eventually(async () => (await jobsLeft()).every(({ payload }) => payload.attempt === 2));
    expect(await jobsLeft()).toHaveLength(jobs);
  }
});

test('a daemon schedules by itself what becomes due', async () => {
  await using receiver = await startReceiver();
  await stack.webhook(receiver.url);
  const id = await retryIn(6);
  stack.startDaemon();
  await eventually(async () => (await stack.deliveries(`id = ${id} and status = 'SUCCEEDED'`)).length === 1, 12_000);
  expect(receiver.received).toHaveLength(1);
});
