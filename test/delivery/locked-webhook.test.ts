import pg from 'pg';
import { expect, test } from 'vitest';
import { Fence } from '../../daemon/liveness/fence.js';
import { Recorder } from '../../daemon/recording/recorder.js';
import { DaemonMetrics } from '../../daemon/telemetry/metrics.js';
import { loadDeliveries } from '../../src/operations/attempts/load-deliveries.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { keptLog } from '../support/kept-log.js';
import { startReceiver } from '../support/receiver.js';

const WITHIN_MS = 20_000;

test('a webhook whose row another session has locked keeps its outcomes, is sent nothing, and holds up no other', async () => {
  await using stack = await DeliveryStack.open();
  await using receiver = await startReceiver();
  const locked = await stack.webhook(`${receiver.url}/locked`);
  const other = await stack.webhook(`${receiver.url}/other`);
  const sentTo = (path: string) => receiver.received.filter((request) => request.path === `/hook${path}`).length;
  const succeeded = async (webhookId: number) =>
    (await stack.deliveries(`status = 'SUCCEEDED' and webhook_id = ${webhookId}`)).length;
  const session = new pg.Client(stack.databaseUrl);
  await session.connect();
  try {
    await session.query('begin');
    await session.query(`select from hookwright.webhooks where id = ${locked.id} for update`);
    stack.startDaemon();
    await stack.emit();
    await eventually(async () => (await succeeded(other.id)) === 1, WITHIN_MS);
    // Soon it is known that the other's row is locked: then what comes waits, without an attempt.
    let events = 1;
    await eventually(async () => {
      const before = sentTo('/locked');
      await stack.emit();
      events += 1;
      await eventually(async () => (await succeeded(other.id)) === events, WITHIN_MS);
      return sentTo('/locked') === before;
    }, WITHIN_MS);
    expect(sentTo('/locked')).toBeLessThan(events);
    expect(await succeeded(locked.id)).toBe(0);

    await session.query('rollback');
    await eventually(async () => (await succeeded(locked.id)) === events, WITHIN_MS);
    expect(sentTo('/locked')).toBe(events); // nothing was sent twice
    const attempts = await stack.rows('select from hookwright.attempts where number > 1');
    expect(attempts).toEqual([]);
  } finally {
    await session.end();
  }
}, 60_000);

test('a webhook is not taken for locked any more when the outcome that waited for it was given up', async () => {
  await using stack = await DeliveryStack.open();
  const { id: webhookId } = await stack.webhook('https://receiver.example.com/');
  const { id } = await stack.delivery(await stack.emit());
  const { pool } = stack.services.db;
  const [delivery] = await loadDeliveries(pool, [{ id, attempt: 1 }]);
  if (typeof delivery !== 'object') {
    throw new Error(`The delivery is ${delivery}.`);
  }
  const { log } = keptLog('warn');
  const recorder = new Recorder({
    ...stack.services,
    log,
    fence: new Fence(),
    metrics: new DaemonMetrics(),
    slots: 1,
  });
  await recorder.room.take();
  const holder = { webhookId, isGrouped: false };
  recorder.tryBegin(holder);
  const session = new pg.Client(stack.databaseUrl);
  await session.connect();
  try {
    await session.query('begin');
    await session.query(`select from hookwright.webhooks where id = ${webhookId} for update`);
    const given = recorder
      .record(
        {
          // No column takes this text, and no later try would be better.
          delivery: { ...delivery, url: 'https://\0' },
          startedAt: new Date(),
          endedAtMs: performance.now(),
          requestHeaders: {},
          result: {
            kind: 'response',
            statusCode: 500,
            headers: {},
            body: Buffer.alloc(0),
            bodyTruncated: false,
            durationMs: 1,
          },
          // A failure locks its webhook before it sends what no column takes.
          outcome: { verdict: 'FAILED', errorCode: 'HTTP_500', retryAfterMs: null, closing: null },
          failuresAtStart: 1,
          isSameClosing: false,
          retryInMs: 60_000,
        },
        holder,
      )
      .catch((error: unknown) => error);
    await eventually(() => recorder.hasLine(webhookId), WITHIN_MS);
    await session.query('rollback');
    expect(await given).toMatchObject({ code: '22021' });
    expect(recorder.hasLine(webhookId)).toBe(false);
  } finally {
    await session.end();
  }
}, 60_000);
