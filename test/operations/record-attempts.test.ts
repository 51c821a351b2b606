import { afterEach, beforeEach, expect, test } from 'vitest';
import type { FinishedAttempt } from '../../src/operations/attempts/finished-attempt.js';
import { loadDeliveries } from '../../src/operations/attempts/load-deliveries.js';
import { recordAttempts } from '../../src/operations/attempts/record-attempts.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { couponEmit } from '../support/factories.js';
import { countJobs, jobsIn, OF_DELIVERIES, ofDelivery } from '../support/jobs.js';

const RULES = { holdHours: 72, streakMsMin: 10_000 };

let stack: DeliveryStack;
let webhookId: number;
beforeEach(async () => {
  stack = await DeliveryStack.open();
  ({ id: webhookId } = await stack.webhook('https://receiver.example.com/'));
});
afterEach(() => stack[Symbol.asyncDispose]());

/** Records a 429 that asked for a minute's rest. @returns in how many seconds its endpoint opens, and its retry is due */
async function recordBusyAnswer(endedSecondsAgo: number) {
  const { id } = await stack.delivery(await stack.emit());
  const { pool } = stack.services.db;
  const [delivery] = await loadDeliveries(pool, [{ id, attempt: 1 }]);
  if (typeof delivery !== 'object') {
    throw new Error(`The delivery is ${delivery}.`);
  }
  const attempt: FinishedAttempt = {
    delivery,
    startedAt: new Date(Date.now() - endedSecondsAgo * 1_000),
    startedAtMs: performance.now() - endedSecondsAgo * 1_000,
    endedAtMs: performance.now() - endedSecondsAgo * 1_000,
    requestHeaders: {},
    result: { kind: 'error', code: 'TIMEOUT', durationMs: 1 },
    outcome: { verdict: 'FAILED', errorCode: 'HTTP_429', retryAfterMs: 60_000, closing: 60_000 },
    isSameClosing: false,
    retryInMs: 60_000,
  };
  const { statuses } = await recordAttempts(pool, [attempt], RULES, 1_000);
  expect(statuses).toEqual(['PENDING']);
  const [row] = await stack.rows<{ opens: number | null; due: number }>(
    `select extract(epoch from w.closed_until - clock_timestamp())::float8 as opens,
            extract(epoch from d.due_at - clock_timestamp())::float8 as due
     from hookwright.deliveries d join hookwright.webhooks w on w.id = ${webhookId} where d.id = ${id}`,
  );
  return row!;
}

test('the delays of an outcome begin when its attempt ended, not when it could be recorded', async () => {
  const { opens, due } = await recordBusyAnswer(20);
  for (const seconds of [opens, due]) {
    expect(seconds).toBeGreaterThan(20);
    expect(seconds).toBeLessThanOrEqual(40);
  }
});

test('delays that are over when the outcome is recorded close nothing, and its retry is due', async () => {
  const { opens, due } = await recordBusyAnswer(90);
  expect(opens).toBeNull();
  expect(due).toBeLessThanOrEqual(0);
  expect(await countJobs(stack, `${OF_DELIVERIES} and run_at <= clock_timestamp()`)).toBe(1);
});

/** @returns the event's id */
async function emitWith(orderingKey: string | null): Promise<number> {
  const [result] = await stack.services.emitter.emit([couponEmit(stack.tenantId, { orderingKey })]);
  return result?.refused === null ? result.eventId : Number.NaN;
}

/** An attempt that succeeded after 1 ms, on a delivery of the webhook. */
async function success(webhook: number, orderingKey: string | null = null): Promise<FinishedAttempt> {
  const eventId = await emitWith(orderingKey);
  const [row] = await stack.deliveries(`event_id = ${eventId} and webhook_id = ${webhook}`);
  const [delivery] = await loadDeliveries(stack.services.db.pool, [{ id: row!.id, attempt: 1 }]);
  if (typeof delivery !== 'object') {
    throw new Error(`The delivery is ${delivery}.`);
  }
  return {
    delivery,
    startedAt: new Date(),
    startedAtMs: performance.now() - 1,
    endedAtMs: performance.now(),
    requestHeaders: {},
    result: {
      kind: 'response',
      statusCode: 204,
      headers: {},
      body: Buffer.alloc(0),
      bodyTruncated: false,
      durationMs: 1,
    },
    outcome: { verdict: 'SUCCEEDED' },
    isSameClosing: false,
    retryInMs: null,
  };
}

test('successes are recorded alike for a webhook that has failed before and for one that has not', async () => {
  const { pool } = stack.services.db;
  const { id: failedBefore } = await stack.webhook('https://other.example.com/');
  await pool.query(`update hookwright.webhooks set consecutive_failures = 3 where id = ${failedBefore}`);
  const attempts = [await success(webhookId), await success(failedBefore), await success(webhookId)];
  const { statuses, disabled } = await recordAttempts(pool, attempts, RULES, 1_000);
  expect(statuses).toEqual(['SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED']);
  expect(disabled).toEqual([]);
  for (const [id, count] of [
    [webhookId, 2],
    [failedBefore, 1],
  ] as const) {
    const { consecutive_failures, last_success_at } = await stack.webhookRow(id);
    expect(consecutive_failures).toBe(0);
    expect(last_success_at).not.toBeNull();
    const [stats] = await stack.rows(
      `select sum(successes)::integer as successes, sum(failures)::integer as failures,
              sum(latency_histogram[1])::integer as quick
       from hookwright.delivery_stats where webhook_id = ${id} and resolution = 'MINUTE'`,
    );
    expect(stats).toEqual({ successes: count, failures: 0, quick: count });
  }
  const ids = attempts.map(({ delivery }) => delivery.id);
  const rows = await stack.deliveries(`id in (${ids.join()})`);
  expect(rows).toHaveLength(3);
  for (const row of rows) {
    expect(row).toMatchObject({ status: 'SUCCEEDED', attempt_count: 1, last_status_code: 204 });
  }
  expect(await stack.rows(`select from hookwright.attempts where delivery_id in (${ids.join()})`)).toHaveLength(3);
});

test('a success that is recorded twice changes nothing the second time', async () => {
  const { pool } = stack.services.db;
  const attempt = await success(webhookId);
  expect((await recordAttempts(pool, [attempt], RULES, 1_000)).statuses).toEqual(['SUCCEEDED']);
  const everything = async () => [
    await stack.deliveries(),
    await stack.rows('select * from hookwright.attempts'),
    await stack.rows('select * from hookwright.delivery_stats'),
    await stack.webhookRow(webhookId),
  ];
  const before = await everything();
  expect((await recordAttempts(pool, [attempt], RULES, 1_000)).statuses).toEqual([null]);
  expect(await everything()).toEqual(before);
});

test('a success wakes the next one of its key, whose job a daemon with room has at once', async () => {
  const { pool } = stack.services.db;
  await stack.change(webhookId, { by: 'KEY' });
  const attempts: FinishedAttempt[] = [];
  for (const key of ['a', 'b']) {
    attempts.push(await success(webhookId, key));
    await emitWith(key);
  }
  const begun: { payload: object }[] = [];
  const here = {
    workerPoolId: 'pool',
    jobsMax: 1,
    begin: (jobs: readonly { payload: object }[]) => begun.push(...jobs),
  };
  const { statuses } = await recordAttempts(pool, attempts, RULES, 1_000, here);
  expect(statuses).toEqual(['SUCCEEDED', 'SUCCEEDED']);
  const woken = await stack.deliveries(`status = 'PENDING'`);
  const jobs = (await Promise.all(woken.map(({ id }) => jobsIn(stack, ofDelivery(id))))).flat();
  const claimed = jobs.filter(({ locked_by }) => locked_by === 'pool');
  expect(claimed).toMatchObject([{ attempts: 1 }]);
  expect(begun.map(({ payload }) => payload)).toEqual(claimed.map(({ payload }) => payload));
  // There was room for one: the other goes to any daemon.
  expect(jobs.filter(({ locked_by }) => locked_by === null)).toMatchObject([{ attempts: 0 }]);
  expect(await countJobs(stack, `${OF_DELIVERIES} and run_at <= clock_timestamp()`)).toBe(4);
});
