import { afterEach, beforeEach, expect, test } from 'vitest';
import type { FinishedAttempt } from '../../src/operations/attempts/finished-attempt.js';
import { loadDeliveries } from '../../src/operations/attempts/load-deliveries.js';
import { recordAttempts } from '../../src/operations/attempts/record-attempts.js';
import { DeliveryStack } from '../support/delivery-stack.js';

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
    endedAtMs: performance.now() - endedSecondsAgo * 1_000,
    requestHeaders: {},
    result: { kind: 'error', code: 'TIMEOUT', durationMs: 1 },
    outcome: { verdict: 'FAILED', errorCode: 'HTTP_429', retryAfterMs: 60_000, closing: 60_000 },
    failuresAtStart: 1,
    retryInMs: 60_000,
  };
  const { statuses } = await recordAttempts(pool, [attempt], { holdHours: 72, rowMsMin: 10_000 }, 1_000);
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
  const dueJobs = `select from hookwright_jobs._private_jobs where key ~ '^d:' and run_at <= clock_timestamp()`;
  expect(await stack.rows(dueJobs)).toHaveLength(1);
});
