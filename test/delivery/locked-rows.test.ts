import { describe, expect, test } from 'vitest';
import { Daemon } from '../../daemon/daemon.js';
import { STATEMENT_TIMEOUT_MS } from '../../src/database/database.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { changeJobs, countJobs, jobsIn, lockJobRows, OF_DELIVERIES, ofDelivery } from '../support/jobs.js';
import { keptLog } from '../support/kept-log.js';
import { type Locking, lockRow, lockRows } from '../support/locks.js';
import { answer, holdAnswers, startReceiver } from '../support/receiver.js';

const WITHIN_MS = 10_000;
/** Longer than what is waited for a lock. */
const LOCKED_FOR_MS = 4_000;
const booking = { booking_code: 'x', local_number: 'y', brand: 'z' };

async function openTwo(settings: Record<string, string> = {}) {
  const stack = await DeliveryStack.open(settings);
  const [locked, other] = await Promise.all([startReceiver(), startReceiver()]);
  const { id } = await stack.webhook(locked.url, ['coupon.applied']);
  await stack.webhook(other.url, ['booking.created']);
  return {
    stack,
    locked,
    other,
    id,
    emitOther: () => stack.emit('booking.created', booking),
    async [Symbol.asyncDispose]() {
      await stack[Symbol.asyncDispose]();
      await Promise.all([locked.close(), other.close()]);
    },
  };
}

type Two = Awaited<ReturnType<typeof openTwo>>;

/** A request to the one that is answered only when another session has locked what `lock` says of its delivery. */
async function answerLocked({ stack, locked }: Two, lock: (id: number) => Promise<Locking>) {
  const held = holdAnswers(locked, answer(200));
  const { id } = await stack.delivery(await stack.emit());
  const letAnswerGo = await held();
  const locking = await lock(id);
  letAnswerGo();
  locked.answerWith(answer(200));
  return locking;
}

/**
 * Both are sent to, over and over, while that one's delivery is under way, and sending never stops.
 *
 * @returns how many each was sent
 */
async function sendBesideLocked(
  { stack, locked, other, emitOther }: Two,
  daemon: Daemon,
  { forMs, eachWithinMs, withinMs }: { forMs: number; eachWithinMs: number; withinMs: number },
) {
  const begun = performance.now();
  let sent = 0;
  await eventually(async () => {
    expect(daemon.fence.closed).toBe(false);
    await Promise.all([emitOther(), stack.emit()]);
    sent += 1;
    await eventually(() => other.received.length === sent && locked.received.length === sent + 1, eachWithinMs);
    return performance.now() - begun > forMs;
  }, withinMs);
  return sent;
}

describe('while another session has the row of a busy webhook locked', () => {
  test.each([
    { slots: '10', deliveries: 60 },
    { slots: '200', deliveries: 1_000 },
  ])(
    'with $slots slots, others are sent to: $deliveries deliveries hold up nobody',
    async ({ slots, deliveries }) => {
      await using world = await openTwo({ DELIVERY_CONCURRENCY: slots });
      const { stack, locked, other, id, emitOther } = world;
      stack.startDaemon();
      await emitOther();
      await eventually(() => other.received.length === 1, WITHIN_MS);
      await using lock = await lockRow(stack.databaseUrl, 'webhooks', id);
      await Promise.all(Array.from({ length: deliveries }, () => stack.emit()));
      await eventually(() => locked.received.length > 5, WITHIN_MS);
      await emitOther();
      await eventually(() => other.received.length === 2, WITHIN_MS);
      await lock.letGo();
      await eventually(async () => (await stack.deliveries(`status <> 'SUCCEEDED'`)).length === 0, 3 * WITHIN_MS);
      expect(locked.received.length).toBe(deliveries); // nothing was sent twice
    },
    90_000,
  );

  test('its deliveries are put off for longer and longer, but come soon when it is free', async () => {
    await using world = await openTwo();
    const { stack, locked, id } = world;
    stack.startDaemon();
    await using lock = await lockRow(stack.databaseUrl, 'webhooks', id);
    await stack.emit();
    await eventually(() => locked.received.length === 1, WITHIN_MS);
    const longestPutOff = async () =>
      Math.max(0, ...(await jobsIn(stack, OF_DELIVERIES)).map(({ inSeconds }) => inSeconds));
    await eventually(async () => {
      await stack.emit();
      return (await longestPutOff()) > 4;
    }, WITHIN_MS);
    await lock.letGo();
    await eventually(async () => (await stack.deliveries(`status <> 'SUCCEEDED'`)).length === 0, 3_000);
  }, 60_000);

  test('thousands of its deliveries keep no retries of others waiting', async () => {
    await using world = await openTwo();
    const { stack, locked, other, id, emitOther } = world;
    stack.startDaemon();
    await using _lock = await lockRow(stack.databaseUrl, 'webhooks', id);
    await stack.emit();
    await eventually(() => locked.received.length === 1, WITHIN_MS);
    const body = JSON.stringify({ code: 'X', discount_type: 'fixed' });
    const item = { tenantId: stack.tenantId, eventType: 'coupon.applied', body };
    const items = Array.from({ length: 100 }, () => ({ ...item, idempotencyKey: null, onlyWebhookId: null }));
    await Promise.all(Array.from({ length: 35 }, () => stack.services.emitter.emit(items)));
    const putOff = `${OF_DELIVERIES} and run_at > now() + interval '3 seconds'`;
    await eventually(async () => (await countJobs(stack, putOff)) > 2_000, 2 * WITHIN_MS);
    other.answerWith(answer(500));
    await emitOther();
    await eventually(() => other.received.length >= 3, 5_000);
  }, 60_000);
});

test('a delivery whose row another session has locked stops no other, not even of its webhook', async () => {
  await using world = await openTwo();
  const { stack } = world;
  const daemon = stack.startDaemon();
  await using lock = await answerLocked(world, (id) => lockRow(stack.databaseUrl, 'deliveries', id));
  const times = { forMs: LOCKED_FOR_MS, eachWithinMs: WITHIN_MS, withinMs: WITHIN_MS };
  const sent = await sendBesideLocked(world, daemon, times);
  const succeeded = async () => (await stack.deliveries(`status = 'SUCCEEDED'`)).length;
  await eventually(async () => (await succeeded()) === 2 * sent, WITHIN_MS);
  await lock.letGo();
  await eventually(async () => (await succeeded()) === 2 * sent + 1, WITHIN_MS);
}, 60_000);

test('a delivery whose job another session has locked stops no other, even when it can long not be completed', async () => {
  await using world = await openTwo();
  const { stack, locked } = world;
  const daemon = stack.startDaemon();
  const lockJob = (id: number) => lockJobRows(stack.databaseUrl, ofDelivery(id));
  await using lock = await answerLocked(world, lockJob);
  const forMs = STATEMENT_TIMEOUT_MS + LOCKED_FOR_MS;
  const times = { forMs, eachWithinMs: 5_000, withinMs: 3 * WITHIN_MS };
  const sent = await sendBesideLocked(world, daemon, times);
  const jobs = () => countJobs(stack, OF_DELIVERIES);
  await eventually(async () => (await jobs()) === 1, WITHIN_MS);
  await lock.letGo();
  await eventually(async () => (await jobs()) === 0, WITHIN_MS);
  expect(await stack.deliveries(`status <> 'SUCCEEDED'`)).toEqual([]);
  expect(locked.received).toHaveLength(sent + 1);
}, 60_000);

test('deliveries of a paused webhook whose rows another session has locked keep nobody waiting, and wait themselves', async () => {
  await using world = await openTwo({ DELIVERY_CONCURRENCY: '10' });
  const { stack, locked, other, id, emitOther } = world;
  const deliveries = 100;
  await Promise.all(Array.from({ length: deliveries }, () => stack.emit()));
  await stack.rows(`update hookwright.webhooks set active = false where id = ${id}`);
  await using lock = await lockRows(stack.databaseUrl, 'hookwright.deliveries', `webhook_id = ${id}`);
  await emitOther();
  stack.startDaemon();
  await eventually(() => other.received.length === 1, 5_000);
  const putOff = `${OF_DELIVERIES} and run_at > now() + interval '20 seconds'`;
  await eventually(async () => (await countJobs(stack, putOff)) === deliveries, WITHIN_MS);
  expect(await stack.deliveries(`webhook_id = ${id} and status <> 'PENDING'`)).toEqual([]);
  await lock.letGo();
  await changeJobs(stack, 'run_at = now()', OF_DELIVERIES);
  await eventually(async () => (await stack.deliveries(`status = 'HELD'`)).length === deliveries, WITHIN_MS);
  expect(locked.received).toEqual([]);
}, 60_000);

test('a commit of another daemon that takes more than a second is not taken for a lock', async () => {
  await using stack = await DeliveryStack.open();
  await using receiver = await startReceiver();
  for (let n = 0; n < 30; n++) {
    await stack.webhook(`${receiver.url}/${n}`);
  }
  await stack.rows(`create function hookwright.slow() returns trigger language plpgsql as
    $$ begin perform pg_sleep(1.2); return null; end $$`);
  await stack.rows(`create trigger slow after update on hookwright.webhooks
    for each statement execute function hookwright.slow()`);
  const { log, lines } = keptLog('warn');
  const daemons = [1, 2].map(() => new Daemon({ ...stack.services, log }));
  try {
    for (let events = 1; events <= 6; events++) {
      await stack.emit();
      await eventually(() => receiver.received.length === 30 * events, WITHIN_MS);
    }
    await eventually(async () => (await stack.deliveries(`status <> 'SUCCEEDED'`)).length === 0, 4 * WITHIN_MS);
    expect(lines.filter(({ msg }) => msg.includes('locked'))).toEqual([]);
    const metrics = await Promise.all(daemons.map(({ registry }) => registry.metrics()));
    expect(metrics.join('\n')).not.toMatch(/put_offs_total\{.*\} [1-9]/);
  } finally {
    await Promise.all(daemons.map((daemon) => daemon.stop(1_000)));
  }
}, 90_000);
