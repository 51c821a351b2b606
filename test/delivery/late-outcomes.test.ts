import { expect, test } from 'vitest';
import { Fence } from '../../daemon/liveness/fence.js';
import { Recorder } from '../../daemon/recording/recorder.js';
import { DaemonMetrics } from '../../daemon/telemetry/metrics.js';
import { openPool } from '../../src/database/database.js';
import { type DueDelivery, loadDeliveries } from '../../src/operations/attempts/load-deliveries.js';
import { DatabaseProxy } from '../support/database-proxy.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { jobsIn, lockJobRows, ofDelivery } from '../support/jobs.js';
import { keptLog } from '../support/kept-log.js';
import { lockWaits } from '../support/lock-waits.js';
import { lockRow, lockRows } from '../support/locks.js';

const WITHIN_MS = 20_000;

/** A recorder behind a proxy, a webhook, and what attempts of deliveries come to. */
async function openRecorder() {
  const stack = await DeliveryStack.open();
  const proxy = await DatabaseProxy.open(stack.databaseUrl);
  const pool = openPool(proxy.url, 10, () => {});
  const { id: webhookId } = await stack.webhook('https://receiver.example.com/');
  const fence = new Fence();
  fence.heard(performance.now());
  const beat = setInterval(() => fence.heard(performance.now()), 50);
  const { log, lines } = keptLog('warn');
  const recorder = new Recorder({
    ...stack.services,
    db: { pool },
    log,
    fence,
    metrics: new DaemonMetrics(),
    slots: 200,
  });
  return {
    stack,
    proxy,
    webhookId,
    fence,
    recorder,
    lines,
    /** One new delivery of each webhook. */
    async dueOfEach(): Promise<DueDelivery[]> {
      const event = await stack.emit();
      const rows = await stack.deliveries(`event_id = ${event}`);
      const jobs = rows.map(({ id }) => ({ id, attempt: 1 }));
      const loaded = await loadDeliveries(stack.services.db.pool, jobs);
      return loaded.map((delivery) => {
        if (typeof delivery !== 'object') {
          throw new Error(`The delivery is ${delivery}.`);
        }
        return delivery;
      });
    },
    async due(): Promise<DueDelivery> {
      const [delivery] = await this.dueOfEach();
      return delivery!;
    },
    record(delivery: DueDelivery, statusCode: 200 | 500, failedRetryInMs = 600_000) {
      const holder = { webhookId: delivery.webhookId, isGrouped: false };
      expect(recorder.room.tryTake() && recorder.tryBegin(holder)).toBe(true);
      const response = { headers: {}, body: Buffer.alloc(0), bodyTruncated: false, durationMs: 1 };
      return recorder.record(
        {
          delivery,
          startedAt: new Date(),
          endedAtMs: performance.now(),
          requestHeaders: {},
          result: { kind: 'response', statusCode, ...response },
          outcome:
            statusCode === 200
              ? { verdict: 'SUCCEEDED' }
              : { verdict: 'FAILED', errorCode: 'HTTP_500', retryAfterMs: null, closing: null },
          failuresAtStart: 1,
          isSameClosing: false,
          retryInMs: statusCode === 200 ? null : failedRetryInMs,
        },
        holder,
      );
    },
    async [Symbol.asyncDispose]() {
      clearInterval(beat);
      await pool.end();
      await proxy.close();
      await stack[Symbol.asyncDispose]();
    },
  };
}

async function dueOf(world: { due(): Promise<DueDelivery> }, count: number): Promise<DueDelivery[]> {
  const deliveries: DueDelivery[] = [];
  for (let n = 0; n < count; n++) {
    deliveries.push(await world.due());
  }
  return deliveries;
}

test('an outcome that ends once the lock is gone does not overtake those that waited for it', async () => {
  await using world = await openRecorder();
  const { stack, webhookId, recorder, record } = world;
  const deliveries = await dueOf(world, 11);
  await using lock = await lockRow(stack.databaseUrl, 'webhooks', webhookId);
  const failures = deliveries.slice(0, 9).map((delivery) => record(delivery, 500));
  await eventually(() => recorder.hasLine(webhookId), WITHIN_MS);
  await lock.letGo();
  const success = record(deliveries[9]!, 200);
  await Promise.all([...failures, success]);
  expect(await stack.webhookRow(webhookId)).toMatchObject({ consecutive_failures: 0, active: true });
  await record(deliveries[10]!, 500);
  expect(await stack.webhookRow(webhookId)).toMatchObject({ consecutive_failures: 1, active: true });
  expect(recorder.hasLine(webhookId)).toBe(false);
}, 60_000);

test('a connection that is lost while a webhook is locked stops sending only for a moment', async () => {
  await using world = await openRecorder();
  const { stack, webhookId, recorder, fence } = world;
  const delivery = await world.due();
  await using lock = await lockRow(stack.databaseUrl, 'webhooks', webhookId);
  const recorded = world.record(delivery, 200);
  await eventually(() => recorder.hasLine(webhookId), WITHIN_MS);
  await eventually(async () => {
    const pids = await stack.rows(
      `select pg_terminate_backend(pid) from (${lockWaits.replace('select', 'select pid')}) waiting`,
    );
    return pids.length > 0;
  }, WITHIN_MS);
  await eventually(() => fence.closed, WITHIN_MS);
  await eventually(() => !fence.closed, WITHIN_MS);
  expect(recorder.hasLine(webhookId)).toBe(true);
  await lock.letGo();
  expect(await recorded).toBe('SUCCEEDED');
}, 60_000);

test('an outcome that ends once the database is back does not overtake those that waited for it', async () => {
  await using world = await openRecorder();
  const { stack, proxy, webhookId, fence, record } = world;
  const deliveries = await dueOf(world, 11);
  await Promise.all(deliveries.slice(0, 9).map((delivery) => record(delivery, 500)));
  proxy.takeAway();
  const success = record(deliveries[9]!, 200);
  await eventually(() => fence.closed, WITHIN_MS);
  proxy.bringBack();
  await Promise.all([success, record(deliveries[10]!, 500)]);
  expect(await stack.webhookRow(webhookId)).toMatchObject({ consecutive_failures: 1, active: true });
}, 60_000);

test('a hundred webhooks that another session has locked do not keep one waiting that is locked for a moment', async () => {
  await using world = await openRecorder();
  const { stack, webhookId, recorder, record } = world;
  for (let n = 0; n < 100; n++) {
    await stack.webhook(`https://receiver.example.com/${n}`);
  }
  const deliveries = await world.dueOfEach();
  await using locks = await lockRows(stack.databaseUrl, 'hookwright.webhooks', `id <> ${webhookId}`);
  await using moment = await lockRow(stack.databaseUrl, 'webhooks', webhookId);
  const one = deliveries.find((delivery) => delivery.webhookId === webhookId)!;
  const others = deliveries.filter((delivery) => delivery !== one);
  const waiting = others.map((delivery) => record(delivery, 200));
  await eventually(() => others.every((delivery) => recorder.hasLine(delivery.webhookId)), WITHIN_MS);
  const recorded = record(one, 200);
  await eventually(() => recorder.hasLine(webhookId), WITHIN_MS);
  await moment.letGo();
  const isRecorded = recorded.then(() => true);
  await eventually(async () => await Promise.race([isRecorded, false]), 10_000);
  await locks.letGo();
  await Promise.all(waiting);
}, 60_000);

test('a delivery that is locked for long does not have its webhook taken for locked when somebody writes that', async () => {
  await using world = await openRecorder();
  const { stack, webhookId, recorder, record, lines } = world;
  const [first, second] = await dueOf(world, 2);
  await using lock = await lockRow(stack.databaseUrl, 'deliveries', first!.id);
  const waiting = record(first!, 200);
  await eventually(() => lines.some(({ msg }) => msg.includes('row of a delivery')), WITHIN_MS);
  await using moment = await lockRow(stack.databaseUrl, 'webhooks', webhookId);
  const recorded = record(second!, 200);
  await eventually(() => recorder.hasLine(webhookId), WITHIN_MS);
  expect(recorder.putOffMs(webhookId)).toBeNull();
  await moment.letGo();
  expect(await recorded).toBe('SUCCEEDED');
  await lock.letGo();
  expect(await waiting).toBe('SUCCEEDED');
}, 60_000);

test('of outcomes that came together, the one whose retry is near and whose job is locked waits, and no other', async () => {
  await using world = await openRecorder();
  const { stack, webhookId, recorder, record } = world;
  const [locked, ...others] = (await dueOf(world, 5)) as [DueDelivery, ...DueDelivery[]];
  const [, , later] = others;
  const keys = [locked, later!].map(({ id }) => `'d:${id}'`).join();
  await using lock = await lockJobRows(stack.databaseUrl, `key in (${keys})`);
  const waiting = record(locked, 500, 5_000);
  const recorded = others.map((delivery) => record(delivery, 500, delivery === later ? 600_000 : 5_000));
  const areRecorded = Promise.all(recorded).then((statuses) => statuses);
  await eventually(async () => await Promise.race([areRecorded, false]), 5_000);
  expect(await areRecorded).toEqual(others.map(() => 'PENDING'));
  expect(recorder.hasLine(webhookId)).toBe(false);
  expect(await stack.deliveries('attempt_count = 0')).toMatchObject([{ id: locked.id }]);
  await lock.letGo();
  expect(await waiting).toBe('PENDING');
  expect(await jobsIn(stack, ofDelivery(locked.id))).toMatchObject([{ payload: { attempt: 2 } }]);
}, 60_000);

test('a webhook that nobody has locked any more does not wait for locks on the statistics of others', async () => {
  await using world = await openRecorder();
  const { stack, webhookId, record, lines } = world;
  for (let n = 0; n < 10; n++) {
    await stack.webhook(`https://receiver.example.com/${n}`);
  }
  const isOfOne = (delivery: DueDelivery) => delivery.webhookId === webhookId;
  const [first, second] = [await world.dueOfEach(), await world.dueOfEach()];
  const others = first.filter((delivery) => !isOfOne(delivery));
  await Promise.all(others.map((delivery) => record(delivery, 200))); // now they have statistics to lock
  await using webhook = await lockRow(stack.databaseUrl, 'webhooks', webhookId);
  await using statistics = await lockRows(stack.databaseUrl, 'hookwright.delivery_stats', `webhook_id <> ${webhookId}`);
  const recorded = second.map((delivery) => record(delivery, 200));
  await eventually(
    () => lines.filter(({ msg }) => msg.includes('row of a webhook locked')).length === second.length,
    WITHIN_MS,
  );
  await webhook.letGo();
  const isRecorded = recorded[second.findIndex(isOfOne)]!.then(() => true);
  await eventually(async () => await Promise.race([isRecorded, false]), 5_000);
  await statistics.letGo();
  await Promise.all(recorded);
}, 60_000);

test('outcomes that are too slow to be written when the daemon lets go are tried once, and not one by one', async () => {
  await using world = await openRecorder();
  const deliveries = await dueOf(world, 3);
  await world.stack.rows('create sequence hookwright.tries');
  // As Postgres does itself after statement_timeout.
  await world.stack.rows(`create function hookwright.too_slow() returns trigger language plpgsql as
    $$ begin perform nextval('hookwright.tries'); raise 'too slow' using errcode = '57014'; end $$`);
  await world.stack.rows(`create trigger too_slow before insert on hookwright.attempts
    for each statement execute function hookwright.too_slow()`);
  world.fence.letGo();
  const results = await Promise.allSettled(deliveries.map((delivery) => world.record(delivery, 200)));
  expect(results.map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
  expect(await world.stack.rows('select last_value::integer as tries from hookwright.tries')).toEqual([{ tries: 1 }]);
});
