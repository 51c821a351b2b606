import { expect, test } from 'vitest';
import { Fence } from '../../daemon/control/fence.js';
import { Recorder } from '../../daemon/recorder.js';
import { DaemonMetrics } from '../../daemon/telemetry/metrics.js';
import { type DueDelivery, loadDeliveries } from '../../src/operations/attempts/load-deliveries.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { keptLog } from '../support/kept-log.js';
import { lockWaits } from '../support/lock-waits.js';
import { lockRow } from '../support/locks.js';

const WITHIN_MS = 20_000;

/** A recorder, a webhook, and what attempts of its deliveries come to. */
async function openRecorder() {
  const stack = await DeliveryStack.open();
  const { id: webhookId } = await stack.webhook('https://receiver.example.com/');
  const fence = new Fence();
  fence.heard(performance.now());
  const beat = setInterval(() => fence.heard(performance.now()), 50);
  const { log } = keptLog('warn');
  const recorder = new Recorder({ ...stack.services, log, fence, metrics: new DaemonMetrics(), slots: 20 });
  return {
    stack,
    webhookId,
    fence,
    recorder,
    async due(): Promise<DueDelivery> {
      const { id } = await stack.delivery(await stack.emit());
      const [delivery] = await loadDeliveries(stack.services.db.pool, [{ id, attempt: 1 }]);
      if (typeof delivery !== 'object') {
        throw new Error(`The delivery is ${delivery}.`);
      }
      return delivery;
    },
    record(delivery: DueDelivery, statusCode: 200 | 500) {
      const holder = { webhookId, isGrouped: false };
      expect(recorder.room.tryTake() && recorder.tryBegin(holder)).toBe(true);
      const response = { headers: {}, body: Buffer.alloc(0), bodyTruncated: false, durationMs: 1 };
      return recorder.record(
        {
          delivery,
          startedAt: new Date(),
          requestHeaders: {},
          result: { kind: 'response', statusCode, ...response },
          outcome:
            statusCode === 200
              ? { verdict: 'SUCCEEDED' }
              : { verdict: 'FAILED', errorCode: 'HTTP_500', retryAfterMs: null, closeMs: null },
          retryInMs: statusCode === 200 ? null : 600_000,
        },
        holder,
      );
    },
    async [Symbol.asyncDispose]() {
      clearInterval(beat);
      await stack[Symbol.asyncDispose]();
    },
  };
}

test('an outcome that ends once the lock is gone does not overtake those that waited for it', async () => {
  await using world = await openRecorder();
  const { stack, webhookId, recorder, record, due } = world;
  const deliveries: DueDelivery[] = [];
  for (let n = 0; n < 11; n++) {
    deliveries.push(await due());
  }
  await using lock = await lockRow(stack.databaseUrl, 'webhooks', webhookId);
  const failures = deliveries.slice(0, 9).map((delivery) => record(delivery, 500));
  await eventually(() => recorder.isLocked(webhookId), WITHIN_MS);
  await lock.letGo();
  const success = record(deliveries[9]!, 200);
  await Promise.all([...failures, success]);
  expect(await stack.webhookRow(webhookId)).toMatchObject({ consecutive_failures: 0, active: true });
  await record(deliveries[10]!, 500);
  expect(await stack.webhookRow(webhookId)).toMatchObject({ consecutive_failures: 1, active: true });
  expect(recorder.isLocked(webhookId)).toBe(false);
}, 60_000);

test('a connection that is lost while a webhook is locked stops sending only for a moment', async () => {
  await using world = await openRecorder();
  const { stack, webhookId, recorder, fence } = world;
  const delivery = await world.due();
  await using lock = await lockRow(stack.databaseUrl, 'webhooks', webhookId);
  const recorded = world.record(delivery, 200);
  await eventually(() => recorder.isLocked(webhookId), WITHIN_MS);
  const ended = await eventually(async () => {
    const pids = await stack.rows(
      `select pg_terminate_backend(pid) from (${lockWaits.replace('select', 'select pid')}) waiting`,
    );
    return pids.length > 0;
  }, WITHIN_MS);
  expect(ended).toBe(true);
  await eventually(() => fence.closed, WITHIN_MS);
  await eventually(() => !fence.closed, WITHIN_MS);
  expect(recorder.isLocked(webhookId)).toBe(true);
  await lock.letGo();
  expect(await recorded).toBe('SUCCEEDED');
}, 60_000);
