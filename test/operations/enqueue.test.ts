import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { putOffDeliveries } from '../../src/operations/put-off.js';
import { DeliveryStack } from '../support/delivery-stack.js';

let stack: DeliveryStack;

beforeEach(async () => {
  stack = await DeliveryStack.open();
  await stack.webhook('http://127.0.0.1:1/');
});
afterEach(() => stack[Symbol.asyncDispose]());

const putOff = (deliveryId: number, inMs: number) =>
  putOffDeliveries(stack.services.db.pool, [{ deliveryId, attemptNumber: 1, inMs, priority: 10 }]);

const jobs = () =>
  stack.rows<{ key: string | null; priority: number; attempts: number; dead: boolean; waits: boolean }>(
    `select key, priority, attempts, attempts >= max_attempts as dead, run_at > now() as waits
     from graphile_worker._private_jobs order by id`,
  );

test('a delivery that is put off tells nobody; one that is due wakes the daemons, when it is committed', async () => {
  const { id } = await stack.delivery(await stack.emit());
  const listener = new pg.Client({ connectionString: stack.databaseUrl });
  await listener.connect();
  try {
    let told = 0;
    listener.on('notification', () => {
      told += 1;
    });
    await listener.query('listen "jobs:insert"');
    await putOff(id, 60_000);
    await listener.query('select');
    expect(told).toBe(0);
    await putOff(id, 0);
    await listener.query('select');
    expect(told).toBe(1);
  } finally {
    await listener.end();
  }
});

test('a job takes the place of one that waits, and starts anew', async () => {
  const { id } = await stack.delivery(await stack.emit());
  await stack.rows(
    `update graphile_worker._private_jobs set attempts = 3, last_error = 'lost', revision = 1`,
  );
  await putOff(id, 60_000);
  expect(await jobs()).toEqual([{ key: `d:${id}`, priority: 10, attempts: 0, dead: false, waits: true }]);
  expect(await stack.rows('select last_error, revision from graphile_worker._private_jobs')).toEqual([
    { last_error: null, revision: 2 },
  ]);
});

test('a job takes the key of one that is being run, which then never runs again', async () => {
  const { id } = await stack.delivery(await stack.emit());
  await stack.rows(
    `update graphile_worker._private_jobs set locked_by = 'pool', locked_at = now(), attempts = 1`,
  );
  await putOff(id, 60_000);
  expect(await jobs()).toEqual([
    { key: null, priority: 0, attempts: 25, dead: true, waits: false },
    { key: `d:${id}`, priority: 10, attempts: 0, dead: false, waits: true },
  ]);
});
