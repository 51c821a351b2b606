import type { JobHelpers } from 'graphile-worker';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Fence, SendingStopped } from '../../daemon/liveness/fence.js';
import { taskList } from '../../daemon/tasks.js';
import { DELIVER_GROUP_TASK, DELIVER_TASK } from '../../src/operations/jobs/tasks.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { fetchJobs, jobsIn, ofDelivery } from '../support/jobs.js';

const POOL = 'pool-of-this-process';

let stack: DeliveryStack;
beforeAll(async () => {
  stack = await DeliveryStack.open();
  await stack.webhook('http://127.0.0.1:1/');
});
afterAll(() => stack[Symbol.asyncDispose]());

let nowMs: number;
let fence: Fence;
let jobId: string;
beforeEach(async () => {
  nowMs = 0;
  fence = new Fence(() => nowMs);
  fence.heard(0);
  const { id } = await stack.delivery(await stack.emit());
  const [job] = await fetchJobs(stack, POOL, ofDelivery(id));
  jobId = String(job!.id);
});

/** The task fails with the job in hand. */
async function fails(task: string, error: Error): Promise<void> {
  const failing = () => Promise.reject(error);
  const deliverer = { deliver: failing, deliverGroup: failing };
  const tasks = taskList({ ...stack.services, deliverer, fence });
  const helpers = { job: { id: jobId, locked_by: POOL, attempts: 1 } } as unknown as JobHelpers;
  await expect(tasks[task]?.({}, helpers)).rejects.toBe(error);
}
const job = async () => {
  const [row] = await jobsIn(stack, `id = ${jobId}`);
  return row && { locked_by: row.locked_by, attempts: row.attempts };
};

const stopped = new SendingStopped('Nothing is sent.');
const fault = new Error('Something else failed.');
const ends = () => fence.end();
const givesUp = () => {
  fence.givenUp = true;
};
const isSilent = () => {
  nowMs = 10_000;
};

describe.each([DELIVER_TASK, DELIVER_GROUP_TASK])('a job of %s', (task) => {
  test.each([
    { when: 'the daemon ends, and the job was not begun any more', happens: ends, error: stopped },
    { when: 'there is no more time for what is in hand', happens: givesUp, error: fault },
  ])('is given back, and its fetch does not count, when $when', async ({ happens, error }) => {
    happens();
    await fails(task, error);
    expect(await job()).toEqual({ locked_by: null, attempts: 0 });
  });

  test.each([
    { when: 'the daemon goes on, and may fetch it again', happens: () => {}, error: stopped },
    {
      when: 'outcomes wait, and the daemon goes on',
      happens: () => void fence.outcomeWaits(),
      error: stopped,
    },
    { when: 'the database is silent, and the daemon goes on', happens: isSilent, error: stopped },
    {
      when: 'the database is silent as the daemon ends',
      happens: () => {
        isSilent();
        ends();
      },
      error: stopped,
    },
    { when: 'it failed for another reason as the daemon ends', happens: ends, error: fault },
  ])('is not given back when $when', async ({ happens, error }) => {
    happens();
    await fails(task, error);
    expect(await job()).toEqual({ locked_by: POOL, attempts: 1 });
  });
});
