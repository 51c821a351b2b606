import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Fence } from '../../daemon/liveness/fence.js';
import { Recorder } from '../../daemon/recording/recorder.js';
import { DaemonMetrics } from '../../daemon/telemetry/metrics.js';
import { type DueDelivery, loadDeliveries } from '../../src/operations/attempts/load-deliveries.js';
import { openPool } from '../../src/platform/database/database.js';
import { DatabaseProxy } from '../support/database-proxy.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { JOBS_TABLE, ofDelivery } from '../support/jobs.js';
import { keptLog } from '../support/kept-log.js';
import { lockWaits } from '../support/lock-waits.js';
import { lockRow, lockRows } from '../support/locks.js';

const WITHIN_MS = 20_000;

/** A recorder behind a proxy, webhooks, and the outcomes of attempts. */
async function openRecorder({ webhooks = 1 } = {}) {
  const stack = await DeliveryStack.open();
  const proxy = await DatabaseProxy.open(stack.databaseUrl);
  const pool = openPool(proxy.url, 10, () => {});
  const ids: number[] = [];
  for (let n = 0; n < webhooks; n++) {
    ids.push((await stack.webhook(`https://receiver.example.com/${n}`)).id);
  }
  const fence = new Fence();
  fence.heard(performance.now());
  const beat = setInterval(() => fence.heard(performance.now()), 50);
  const { log, lines } = keptLog('warn');
  const metrics = new DaemonMetrics();
  const deps = { ...stack.services, db: { pool, url: proxy.url }, log, fence, metrics, slots: 200 };
  const recorder = new Recorder(deps);
  return {
    stack,
    proxy,
    webhookId: ids[0]!,
    fence,
    recorder,
    lines,
    metrics,
    /** New deliveries of each webhook, in the order of the webhooks. */
    async due(events = 1): Promise<DueDelivery[]> {
      const deliveries: DueDelivery[] = [];
      for (let n = 0; n < events; n++) {
        const rows = await stack.deliveries(`event_id = ${await stack.emit()}`);
        const loaded = await loadDeliveries(
          stack.services.db.pool,
          rows.map(({ id }) => ({ id, attempt: 1 })),
        );
        deliveries.push(...loaded.filter((delivery) => typeof delivery === 'object'));
      }
      return deliveries.sort((a, b) => a.webhookId - b.webhookId || a.id - b.id);
    },
    record(delivery: DueDelivery, statusCode: 200 | 500, retryInMs = 600_000) {
      expect(recorder.room.tryTake()).toBe(true);
      const response = { headers: {}, body: Buffer.alloc(0), bodyTruncated: false, durationMs: 1 };
      const attempt = {
        delivery,
        startedAt: new Date(),
        startedAtMs: performance.now() - 1,
        endedAtMs: performance.now(),
        requestHeaders: {},
        result: { kind: 'response', statusCode, ...response } as const,
        isSameClosing: false,
      };
      const failed = { verdict: 'FAILED', errorCode: 'HTTP_500', retryAfterMs: null, closing: null } as const;
      const judged =
        statusCode === 200
          ? { outcome: { verdict: 'SUCCEEDED' } as const, retryInMs: null }
          : { outcome: failed, retryInMs };
      return recorder.record({ ...attempt, ...judged });
    },
    async [Symbol.asyncDispose]() {
      clearInterval(beat);
      await pool.end();
      await proxy.close();
      await stack[Symbol.asyncDispose]();
    },
  };
}

test('an outcome that ends once the database is back does not overtake those that waited for it', async () => {
  await using world = await openRecorder();
  const { stack, proxy, webhookId, fence, record } = world;
  const deliveries = await world.due(11);
  await Promise.all(deliveries.slice(0, 9).map((delivery) => record(delivery, 500)));
  proxy.takeAway();
  const success = record(deliveries[9]!, 200);
  await eventually(() => fence.closed, WITHIN_MS);
  proxy.bringBack();
  await Promise.all([success, record(deliveries[10]!, 500)]);
  expect(await stack.webhookRow(webhookId)).toMatchObject({ consecutive_failures: 1, active: true });
}, 60_000);

test('a connection that is lost while a webhook is locked stops sending only for a moment', async () => {
  await using world = await openRecorder();
  const { stack, webhookId, recorder, fence } = world;
  const [delivery] = await world.due();
  await using lock = await lockRow(stack.databaseUrl, 'webhooks', webhookId);
  const recorded = world.record(delivery!, 200);
  await eventually(() => recorder.notNow(webhookId) !== null, WITHIN_MS);
  const cut = `select pg_terminate_backend(pid) from (${lockWaits.replace('select', 'select pid')}) waiting`;
  await eventually(async () => (await stack.rows(cut)).length > 0, WITHIN_MS);
  await eventually(() => fence.closed, WITHIN_MS);
  await eventually(() => !fence.closed, WITHIN_MS);
  expect(recorder.notNow(webhookId)).not.toBeNull();
  await lock.letGo();
  expect(await recorded).toBe('SUCCEEDED');
}, 60_000);

test('while another session has the delivery, the job or statistics of webhooks locked, others are recorded', async () => {
  await using world = await openRecorder({ webhooks: 5 });
  const { stack, record } = world;
  const due = await world.due();
  const [one, withJob, counted] = due as [DueDelivery, DueDelivery, DueDelivery];
  await Promise.all((await world.due()).map((delivery) => record(delivery, 200))); // now there are statistics to lock
  await stack.rows(`select hookwright.enqueue_deliveries(array[${withJob.id}], array[1], array[now()], array[0])`);
  const { databaseUrl } = stack;
  await using delivery = await lockRow(databaseUrl, 'deliveries', one.id);
  await using job = await lockRows(databaseUrl, JOBS_TABLE, ofDelivery(withJob.id));
  const isCounted = `webhook_id = ${counted.webhookId}`;
  await using statistics = await lockRows(databaseUrl, 'hookwright.delivery_stats', isCounted);
  const statuses = due.map((each) => record(each, 500, 5_000));
  expect(await Promise.all(statuses.slice(3))).toEqual(['PENDING', 'PENDING']);
  await Promise.all([delivery.letGo(), job.letGo(), statistics.letGo()]);
  expect(await Promise.all(statuses)).toEqual(due.map(() => 'PENDING'));
  expect(await stack.deliveries('attempt_count <> 1')).toEqual([]);
}, 60_000);

test('an outcome that cannot be recorded once the lock is gone is given up, and its webhook counts as free', async () => {
  await using world = await openRecorder();
  const { stack, webhookId, recorder } = world;
  const [delivery] = await world.due();
  await using lock = await lockRow(stack.databaseUrl, 'webhooks', webhookId);
  // No column takes this text. A failure locks its webhook before it sends the text.
  const given = world.record({ ...delivery!, url: 'https://\0' }, 500).catch((error: unknown) => error);
  await eventually(() => recorder.notNow(webhookId) !== null, WITHIN_MS);
  await lock.letGo();
  expect(await given).toMatchObject({ code: '22021' });
  expect(recorder.notNow(webhookId)).toBeNull();
}, 60_000);

test('outcomes that are too slow to be written when the daemon lets go are tried once, and not one by one', async () => {
  await using world = await openRecorder();
  const { stack, fence, record } = world;
  const deliveries = await world.due(3);
  await stack.rows('create sequence hookwright.tries');
  // As Postgres does itself after statement_timeout.
  await stack.rows(`create function hookwright.too_slow() returns trigger language plpgsql as
    $$ begin perform nextval('hookwright.tries'); raise 'too slow' using errcode = '57014'; end $$`);
  await stack.rows(`create trigger too_slow before insert on hookwright.attempts
    for each statement execute function hookwright.too_slow()`);
  fence.givenUp = true;
  const results = await Promise.allSettled(deliveries.map((delivery) => record(delivery, 200)));
  expect(results.map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
  expect(await stack.rows('select last_value::integer as tries from hookwright.tries')).toEqual([{ tries: 1 }]);
});

test('successes of a healthy webhook that end one after another share transactions', async () => {
  await using world = await openRecorder();
  const { stack, due, record } = world;
  const recorded: Promise<unknown>[] = [];
  for (const delivery of await due(12)) {
    recorded.push(record(delivery, 200, 0));
    await nextTurn();
  }
  await Promise.all(recorded);
  const [count] = await stack.rows<{ attempts: number; transactions: number }>(
    'select count(*)::integer as attempts, count(distinct xmin::text)::integer as transactions from hookwright.attempts',
  );
  expect(count!.attempts).toBe(12);
  expect(count!.transactions).toBeLessThanOrEqual(4); // without waiting for each other, nearly as many as attempts
}, 60_000);

test('an outcome whose delivery is gone is counted, logged with its id, and dropped', async () => {
  await using world = await openRecorder();
  const { stack, lines, metrics } = world;
  const [gone, kept] = await world.due(2);
  await stack.rows(`delete from hookwright.deliveries where id = ${gone!.id}`);
  expect(await Promise.all([world.record(gone!, 200), world.record(kept!, 500)])).toEqual([null, 'PENDING']);
  // Recorded before is not unknown.
  expect(await world.record(kept!, 500)).toBeNull();
  expect(await metrics.registry.metrics()).toMatch(/^hookwright_outcomes_unknown_total 1$/m);
  expect(lines).toMatchObject([{ outcomes: 1, deliveryIds: [gone!.id], msg: expect.stringContaining('dropped') }]);
  expect(await stack.rows('select unknown_outcomes from hookwright.housekeeping')).toEqual([{ unknown_outcomes: 1 }]);
});
