import { afterEach, beforeEach, expect, test } from 'vitest';
import { LANES } from '../../src/domain/pacing/lanes.js';
import { putOffDeliveries } from '../../src/operations/attempts/put-off.js';
import { callBackDeliveries } from '../../src/platform/graphile-worker/waiting-jobs.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { changeJobs, deleteJobs, fetchJobs, jobsIn, ofDelivery } from '../support/jobs.js';

const URL = 'http://127.0.0.1:1/';
let stack: DeliveryStack;
let webhookId: number;
beforeEach(async () => {
  stack = await DeliveryStack.open();
  ({ id: webhookId } = await stack.webhook(URL));
});
afterEach(() => stack[Symbol.asyncDispose]());

/** @returns the ids of deliveries that are put off for a minute, one of each priority */
async function putOff(priorities: readonly number[]): Promise<number[]> {
  const ids: number[] = [];
  for (const priority of priorities) {
    const { id } = await stack.delivery(await stack.emit());
    const putOff = {
      deliveryId: id,
      webhookId,
      url: URL,
      generation: 0,
      attemptNumber: 1,
      inMs: 60_000,
      priority,
    };
    await putOffDeliveries(stack.services.db.pool, [putOff]);
    ids.push(id);
  }
  return ids;
}
const dueJobs = async () =>
  (await jobsIn(stack, 'run_at <= clock_timestamp()')).map(({ key, priority }) => ({ key, priority }));

test('deliveries that are called back run now, in their lanes and before first attempts', async () => {
  const lanes = [LANES.CROWDED, LANES.RETRY, LANES.BULK];
  const ids = await putOff(lanes.map(({ priority }) => priority));
  expect(await dueJobs()).toEqual([]);
  expect((await callBackDeliveries(stack.services.db.pool, ids)).sort()).toEqual(ids.sort());
  expect(await dueJobs()).toEqual(ids.map((id, n) => ({ key: `d:${id}`, priority: lanes[n]!.raised })));
});

test('those whose jobs are locked, due or gone are passed over', async () => {
  const [locked, due, gone, other] = await putOff([10, 10, 10, 10]);
  await fetchJobs(stack, 'w', ofDelivery(locked!));
  await changeJobs(stack, 'run_at = now()', ofDelivery(due!));
  await deleteJobs(stack, ofDelivery(gone!));
  const ids = [locked, due, gone, other].map((id) => id!);
  expect(await callBackDeliveries(stack.services.db.pool, ids)).toEqual([other]);
});
