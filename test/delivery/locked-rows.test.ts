import { expect, test } from 'vitest';
import { Daemon } from '../../daemon/daemon.js';
import { STATEMENT_TIMEOUT_MS } from '../../src/platform/database/database.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { changeJobs, countJobs, lockJobRows, ofDelivery } from '../support/jobs.js';
import { keptLog } from '../support/kept-log.js';
import { lockRow } from '../support/locks.js';
import { answer, holdAnswers, startReceiver } from '../support/receiver.js';

const WITHIN_MS = 20_000;
const booking = { booking_code: 'x', local_number: 'y', brand: 'z' };

async function openTwo() {
  const stack = await DeliveryStack.open({ DELIVERY_CONCURRENCY: '10' });
  const locked = await stack.endpoint(answer(200), ['coupon.applied']);
  const other = await stack.endpoint(answer(200), ['booking.created']);
  const count = async (where: string) => (await stack.deliveries(where)).length;
  return {
    stack,
    locked,
    other,
    count,
    emitOther: () => stack.emit('booking.created', booking),
    allSucceeded: () => eventually(async () => (await count(`status <> 'SUCCEEDED'`)) === 0, WITHIN_MS),
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  };
}

test('a webhook whose row is locked keeps its outcomes, is sent nothing more, and holds up no other', async () => {
  await using world = await openTwo();
  const { stack, locked, other, count, emitOther } = world;
  stack.startDaemon();
  await using lock = await lockRow(stack.databaseUrl, 'webhooks', locked.webhookId);
  await stack.emits(3);
  await eventually(() => locked.received.length === 3, WITHIN_MS);
  await emitOther();
  const succeeded = ({ webhookId }: { webhookId: number }) =>
    count(`status = 'SUCCEEDED' and webhook_id = ${webhookId}`);
  await eventually(async () => (await succeeded(other)) === 1, WITHIN_MS);
  let emitted = 3;
  const putOff = `key ~ '^d:' and run_at > now() + interval '5 s'`;
  await eventually(async () => {
    await stack.emit();
    emitted += 1;
    return (await countJobs(stack, putOff)) > 0;
  }, WITHIN_MS);
  expect(locked.received.length).toBeLessThan(emitted);
  expect(await succeeded(locked)).toBe(0);
  await lock.letGo();
  await eventually(async () => (await succeeded(locked)) === locked.received.length, WITHIN_MS);
  await changeJobs(stack, 'run_at = now()', putOff);
  await world.allSucceeded();
  expect(locked.received.length).toBe(emitted); // nothing was sent twice
}, 90_000);

test('a delivery whose job is locked stops no other, even when it cannot be completed for long', async () => {
  await using world = await openTwo();
  const { stack, locked, other, emitOther } = world;
  const daemon = stack.startDaemon();
  const held = holdAnswers(locked, answer(200));
  const { id } = await stack.delivery(await stack.emit());
  const letAnswerGo = await held();
  await using lock = await lockJobRows(stack.databaseUrl, ofDelivery(id));
  letAnswerGo();
  locked.answerWith(answer(200));
  const begun = performance.now();
  for (let sent = 1; performance.now() - begun < STATEMENT_TIMEOUT_MS + 2_000; sent++) {
    expect(daemon.fence.closed).toBe(false);
    await Promise.all([emitOther(), stack.emit()]);
    await eventually(() => other.received.length === sent && locked.received.length === sent + 1, WITHIN_MS);
  }
  const jobs = () => countJobs(stack, `key ~ '^d:'`);
  await eventually(async () => (await jobs()) === 1, WITHIN_MS);
  await lock.letGo();
  await eventually(async () => (await jobs()) === 0, WITHIN_MS);
  await world.allSucceeded();
  expect(locked.received).toHaveLength(other.received.length + 1);
}, 90_000);

test('a commit of another daemon that takes more than a second is not taken for a lock', async () => {
  await using stack = await DeliveryStack.open();
  await using receiver = await startReceiver();
  const webhooks = 10;
  for (let n = 0; n < webhooks; n++) {
    await stack.webhook(`${receiver.url}/${n}`);
  }
  await stack.rows(`create function hookwright.slow() returns trigger language plpgsql as
    $$ begin perform pg_sleep(1.2); return null; end $$`);
  await stack.rows(`create trigger slow after update on hookwright.webhooks
    for each statement execute function hookwright.slow()`);
  const { log, lines } = keptLog('warn');
  const daemons = [1, 2].map(() => new Daemon({ ...stack.services, log }));
  try {
    for (let events = 1; events <= 4; events++) {
      await stack.emit();
      await eventually(() => receiver.received.length === webhooks * events, WITHIN_MS);
    }
    await eventually(async () => (await stack.deliveries(`status <> 'SUCCEEDED'`)).length === 0, 2 * WITHIN_MS);
    expect(lines.filter(({ msg }) => msg.includes('locked'))).toEqual([]);
  } finally {
    await Promise.all(daemons.map((daemon) => daemon.stop(1_000)));
  }
}, 90_000);
