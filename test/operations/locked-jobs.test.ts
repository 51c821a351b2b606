import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DeadWorkers, MISSED_FOR_MS } from '../../daemon/liveness/dead-workers.js';
import { PutOffWriter } from '../../daemon/recording/put-off-writer.js';
import { DaemonMetrics } from '../../daemon/telemetry/metrics.js';
import type { DueDelivery } from '../../src/operations/attempts/load-deliveries.js';
import { resumeIdleOperations } from '../../src/operations/bulk/resume-idle-operations.js';
import { alignWronglyHeld, rescueOverdue } from '../../src/operations/deliveries/rescue-deliveries.js';
import { scheduleDeliveries } from '../../src/operations/deliveries/schedule-deliveries.js';
import { SQL_STATE } from '../../src/platform/database/driver/sql-state.js';
import { deleteDeadJobs } from '../../src/platform/graphile-worker/locked-jobs.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { changeJobs, deleteJobs, fetchJobs, jobsIn, lockJobRows, ofDelivery } from '../support/jobs.js';
import { type Locking, lockRows, openTransaction } from '../support/locks.js';

/** In each test another session has one job locked: of a delivery, a webhook or a bulk operation. */

const URL = 'http://127.0.0.1:1/';

let stack: DeliveryStack;
let pool: pg.Pool;
let webhookId: number;
beforeEach(async () => {
  stack = await DeliveryStack.open();
  ({ pool } = stack.services.db);
  ({ id: webhookId } = await stack.webhook(URL));
});
afterEach(() => stack[Symbol.asyncDispose]());

const lockJobs = (where: string): Promise<Locking> => lockJobRows(stack.databaseUrl, where);
const lockJob = (key: string) => lockJobs(`key = '${key}'`);
const workersDie = () => changeJobs(stack, `locked_at = now() - interval '61 seconds', locked_by = 'dead'`);
const keys = async (where: string) => (await jobsIn(stack, where)).map(({ key }) => key).sort();
const keysOf = (ids: readonly number[]) => ids.map((id) => `d:${id}`).sort();

/** @returns the ids of deliveries that have a job each */
async function deliveriesWithJobs(count: number): Promise<number[]> {
  const ids: number[] = [];
  for (let n = 0; n < count; n++) {
    ids.push((await stack.delivery(await stack.emit())).id);
  }
  expect(await keys('true')).toEqual(keysOf(ids));
  return ids;
}

describe('deliveries that are put off together', () => {
  const LONG_MS = 600_000;
  const isLong = `run_at > now() + interval '5 minutes'`;
  const putOff = (ids: readonly number[]) => {
    const writer = new PutOffWriter({ ...stack.services, metrics: new DaemonMetrics() });
    const due = { webhookId, url: URL, generation: 0, attemptNumber: 1 } as DueDelivery;
    return Promise.allSettled(ids.map((id) => writer.putOff({ ...due, id }, { putOffMs: LONG_MS }, 'FIRST')));
  };

  test('come again when they should, but for the one whose job is locked, which fails alone', async () => {
    const [locked, ...others] = (await deliveriesWithJobs(3)) as [number, ...number[]];
    await using lock = await lockJob(`d:${locked}`);
    const [failed, ...done] = await putOff([locked, ...others]);
    expect(failed).toMatchObject({ status: 'rejected', reason: { code: SQL_STATE.LOCK_NOT_AVAILABLE } });
    expect(done.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    expect(await keys(isLong)).toEqual(keysOf(others));
    await lock.letGo();
    expect(await putOff([locked])).toMatchObject([{ status: 'fulfilled' }]);
    expect(await keys(isLong)).toEqual(keysOf([locked, ...others]));
  });

  test('come again, but for one whose job another session is adding', async () => {
    const [adding, other] = (await deliveriesWithJobs(2)) as [number, number];
    await deleteJobs(stack);
    await using _session = await openTransaction(
      stack.databaseUrl,
      `select hookwright.enqueue_deliveries(array[${adding}], array[1], array[now()], array[0])`,
    );
    const results = await putOff([adding, other]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(await keys(isLong)).toEqual(keysOf([other]));
  });
});

describe('the sweeps pass over what is locked, and come back to it', () => {
  test('overdue deliveries are rescued', async () => {
    const [locked] = await deliveriesWithJobs(3);
    await stack.rows(`update hookwright.deliveries set due_at = now() - interval '61 seconds'`);
    await workersDie();
    await using lock = await lockJob(`d:${locked}`);
    const cursor = {};
    expect(await rescueOverdue(pool, cursor)).toBe(2);
    expect(await rescueOverdue(pool, cursor)).toBe(0);
    await lock.letGo();
    expect(await rescueOverdue(pool, cursor)).toBe(1);
    expect(await keys('is_available')).toHaveLength(3);
  });

  test('webhooks that hold what they should not are settled', async () => {
    await stack.webhook(URL);
    await stack.emit();
    await stack.rows(`update hookwright.deliveries set status = 'HELD'`);
    expect(await alignWronglyHeld(pool)).toBe(2);
    await workersDie();
    await using lock = await lockJob(`w:${webhookId}`);
    expect(await alignWronglyHeld(pool)).toBe(1);
    expect(await alignWronglyHeld(pool)).toBe(0);
    await lock.letGo();
    expect(await alignWronglyHeld(pool)).toBe(1);
  });

  test('retries whose time comes get their jobs', async () => {
    const [locked, other] = (await deliveriesWithJobs(2)) as [number, number];
    // Their jobs name the attempt that was made.
    await stack.rows(`update hookwright.deliveries set attempt_count = 1, due_at = now() + interval '15 seconds'`);
    await using lock = await lockJob(`d:${locked}`);
    const ofSecondAttempt = `payload->>'attempt' = '2'`;
    expect(await scheduleDeliveries(pool)).toBe(1);
    expect(await keys(ofSecondAttempt)).toEqual(keysOf([other]));
    await lock.letGo();
    expect(await scheduleDeliveries(pool)).toBe(1);
    expect(await keys(ofSecondAttempt)).toEqual(keysOf([locked, other]));
  });

  test('bulk operations that stand still go on', async () => {
    const operations = await stack.rows<{ id: number }>(
      `insert into hookwright.bulk_operations
         (tenant_id, kind, webhook_id, filter, from_id, cursor_id, to_id, total, actor)
       select ${stack.tenantId}, 'CANCEL_DELIVERIES', ${webhookId}, '{}', 1, 1, 2, 0, 'COMMAND_LINE' from generate_series(1, 3)
       returning id`,
    );
    const [job, row] = operations as [{ id: number }, { id: number }];
    expect(await resumeIdleOperations(pool)).toBe(3);
    await workersDie();
    await using lock = await lockJob(`b:${job.id}`);
    await using operation = await lockRows(stack.databaseUrl, 'hookwright.bulk_operations', `id = ${row.id}`);
    expect(await resumeIdleOperations(pool)).toBe(1);
    expect(await resumeIdleOperations(pool)).toBe(0);
    await Promise.all([lock.letGo(), operation.letGo()]);
    expect(await resumeIdleOperations(pool)).toBe(2);
  });

  test('dead jobs are deleted', async () => {
    const [locked] = await deliveriesWithJobs(2);
    const [job] = await jobsIn(stack, ofDelivery(locked!));
    await changeJobs(stack, 'key = null, attempts = max_attempts');
    await using lock = await lockJobs(`id = ${job!.id}`);
    await deleteDeadJobs(pool);
    expect(await jobsIn(stack)).toMatchObject([{ id: job!.id }]);
    await lock.letGo();
    await deleteDeadJobs(pool);
    expect(await jobsIn(stack)).toEqual([]);
  });

  test('the jobs of a dead worker are freed, on a session that lives on', async () => {
    const [locked, other] = (await deliveriesWithJobs(2)) as [number, number];
    await fetchJobs(stack, 'pool-gone');
    const control = new pg.Client({ connectionString: stack.databaseUrl, statement_timeout: 4_000 });
    await control.connect();
    let now = 0;
    const log = { warn() {} } as never;
    const dead = new DeadWorkers(log, new DaemonMetrics(), () => now);
    dead.startOver({ again: false });
    const freed = async (ids: readonly number[]) => {
      now += MISSED_FOR_MS;
      await dead.sweep(control, []);
      const free = await keys('locked_by is null');
      return free.length === ids.length && keysOf(ids).every((key) => free.includes(key));
    };
    await using lock = await lockJob(`d:${locked}`);
    // It takes longer at first: a server that has just started takes nobody for dead.
    await eventually(() => freed([other]), 15_000);
    expect(await freed([other])).toBe(true);
    await lock.letGo();
    await eventually(() => freed([locked, other]));
    await control.end();
  });
});
