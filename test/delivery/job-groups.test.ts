import { afterEach, beforeEach, expect, test } from 'vitest';
import { Quarantine } from '../../daemon/jobs/quarantine.js';
import { LANES } from '../../src/domain/pacing/lanes.js';
import { redeliver } from '../../src/operations/deliveries/redeliver.js';
import { rescueOverdue } from '../../src/operations/deliveries/rescue-deliveries.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { raiseWaitingJobs } from '../../src/platform/graphile-worker/waiting-jobs.js';
import { DeliveryStack, type Endpoint } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { emitMany } from '../support/factories.js';
import { changeJobs, deleteJobs, fetchJobs, jobsIn } from '../support/jobs.js';
import { answer } from '../support/receiver.js';

let stack: DeliveryStack;
let receiver: Endpoint;
beforeEach(async () => {
  stack = await DeliveryStack.open();
  receiver = await stack.endpoint();
});
afterEach(() => stack[Symbol.asyncDispose]());

/** @returns the ids of the deliveries of events that are emitted in one transaction */
async function emitTogether(events: number, onlyWebhookId: number | null = null): Promise<number[]> {
  const before = new Set((await stack.deliveries()).map(({ id }) => id));
  await emitMany(stack.services, stack.tenantId, events, onlyWebhookId);
  return (await stack.deliveries()).map(({ id }) => id).filter((id) => !before.has(id));
}

const jobs = async () => (await jobsIn(stack)).toSorted((a, b) => (a.key! < b.key! ? -1 : 1));
const groupOf = async (key: string) => (await jobs()).find((job) => job.key === key)!.payload;

test('first attempts of one transaction share jobs, four each; one alone has its own', async () => {
  const [a, b, c, d, e] = await emitTogether(5);
  expect(await jobs()).toMatchObject([
    { key: `d:${e}`, payload: { id: e, attempt: 1 } },
    { key: `g:${a}`, payload: { group: a, ids: [a, b, c, d] } },
  ]);
});

test('the more a transaction makes, the more share a job, up to sixteen', async () => {
  const sizes = async () => (await jobs()).map(({ payload }) => payload.ids.length).sort((a, b) => b - a);
  await emitTogether(100);
  expect(await sizes()).toEqual([12, 12, 12, 12, 12, 12, 12, 12, 4]);
  await deleteJobs(stack);
  await emitTogether(160);
  expect(await sizes()).toEqual(new Array(10).fill(16));
});

test('deliveries of different lanes share no job', async () => {
  const [first] = await emitTogether(2);
  const [test1] = await emitTogether(2, receiver.webhookId);
  expect((await jobs()).map(({ key, priority }) => ({ key, priority }))).toEqual([
    { key: `g:${first}`, priority: LANES.FIRST.priority },
    { key: `g:${test1}`, priority: LANES.TEST.priority },
  ]);
});

test('all of a group are delivered once each; who fails is tried again alone', async () => {
  let requests = 0;
  receiver.answerWith((_, response) => {
    requests += 1;
    response.writeHead(requests === 2 ? 500 : 200).end();
  });
  const ids = await emitTogether(4);
  stack.startDaemon();
  await stack.succeeded(4);
  expect(receiver.received).toHaveLength(5);
  const attempts = await stack.rows<{ count: number }>(
    'select count(*)::int from hookwright.attempts group by delivery_id order by 1',
  );
  expect(attempts.map(({ count }) => count)).toEqual([1, 1, 1, 2]);
  expect((await stack.deliveries()).map(({ id }) => id)).toEqual(ids);
  await stack.noDeliveryJobs();
});

test('a member that takes long does not keep the others from being recorded', async () => {
  const [slow] = await emitTogether(4);
  let release = () => {};
  receiver.answerWith(({ headers }, response) => {
    const end = () => void response.writeHead(200).end();
    if (headers['x-service-delivery'] === String(slow)) {
      release = end;
    } else {
      end();
    }
  });
  stack.startDaemon();
  await stack.succeeded(3);
  expect((await stack.deliveries(`id = ${slow}`))[0]?.status).toBe('PENDING');
  release();
  await stack.succeeded(4);
});

test('a group that its first worker did not finish is taken apart: each that still waits has a job of its own', async () => {
  const [a, b, c, d] = await emitTogether(4);
  await stack.rows(`update hookwright.deliveries set attempt_count = 1, status = 'SUCCEEDED' where id = ${a}`);
  await stack.rows(`update hookwright.deliveries set status = 'HELD' where id = ${b}`);
  const quarantine = new Quarantine(stack.services);
  const job = { id: '1', attempts: 2, priority: LANES.FIRST.priority };
  let ran = false;
  await quarantine.runGroup(job, await groupOf(`g:${a}`), async () => {
    ran = true;
  });
  expect(ran).toBe(false);
  const own = (await jobs()).filter(({ key }) => key?.startsWith('d:'));
  expect(own.map(({ key }) => key)).toEqual([`d:${c}`, `d:${d}`]);
});

test('a process that dies with a group in hand: what it did not send is sent by the next', async () => {
  await emitTogether(4);
  await fetchJobs(stack, 'pool-dead');
  stack.startDaemon();
  await stack.succeeded(4);
  expect(receiver.received).toHaveLength(4);
});

test('an overdue delivery whose shared job waits is left alone; without that job it is rescued', async () => {
  await emitTogether(4);
  await stack.rows(`update hookwright.deliveries set due_at = now() - interval '61 seconds'`);
  expect(await rescueOverdue(stack.services.db.pool)).toBe(0);
  await deleteJobs(stack);
  expect(await rescueOverdue(stack.services.db.pool)).toBe(4);
});

test('who was held and released meanwhile has a job of its own, and the shared one leaves it alone', async () => {
  const [a] = await emitTogether(2);
  const { group, ids } = await groupOf(`g:${a}`);
  for (const active of [false, true]) {
    await stack.change(receiver.webhookId, { active });
    await stack.align(receiver.webhookId);
  }
  const deliverer = stack.deliverer(noSender);
  await deliverer.deliverGroup({ group, ids }, LANES.FIRST.priority);
  expect(await stack.deliveries(`status = 'PENDING' and attempt_count = 0`)).toHaveLength(2);
  stack.startDaemon();
  await stack.succeeded(2);
  expect(receiver.received).toHaveLength(2);
});

test('one that is sent again has a job of its own', async () => {
  receiver.answerWith(answer(200));
  const [a] = await emitTogether(2);
  stack.startDaemon();
  await stack.succeeded(2);
  await redeliver(stack.services.db, stack.tenantId, a!, commandLine);
  await eventually(async () => (await stack.deliveries(`id = ${a} and attempt_count = 2`)).length === 1);
  expect(receiver.received).toHaveLength(3);
});

test('a lane is raised by deliveries, not by jobs', async () => {
  await emitTogether(12);
  await changeJobs(stack, `priority = ${LANES.CROWDED.priority}, run_at = now() - id * interval '1 second'`);
  const raise = { from: LANES.CROWDED.priority, to: LANES.CROWDED.raised, count: 5 };
  await raiseWaitingJobs(stack.services.db.pool, raise, 0);
  expect((await jobs()).filter(({ priority }) => priority === LANES.CROWDED.raised)).toHaveLength(2);
});

const noSender = {
  send: () => Promise.reject(new Error('nothing should be sent')),
  ask: () => Promise.reject(new Error('nothing should be asked')),
  close: () => Promise.resolve(),
};
