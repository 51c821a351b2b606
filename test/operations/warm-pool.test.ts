import type pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { openPool } from '../../src/platform/database/database.js';
import { createTestDatabase } from '../support/database.js';

const { url, drop } = await createTestDatabase();
const pool = openPool(url, 4, () => {});
afterAll(async () => {
  await pool.end();
  await drop();
});

const pidOf = async (on: pg.Pool | pg.PoolClient) =>
  (await on.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!.pid;

test('a pool takes its oldest connection that is free, whichever was given back last', async () => {
  const oldest = await pool.connect();
  const second = await pool.connect();
  const third = await pool.connect();
  const [first, other] = [await pidOf(oldest), await pidOf(second)];
  for (const client of [oldest, third, second]) {
    client.release();
  }
  for (let time = 0; time < 3; time++) {
    expect(await pidOf(pool)).toBe(first);
  }
  const busy = await pool.connect();
  expect(await pidOf(pool)).toBe(other);
  busy.release();
  expect(await pidOf(pool)).toBe(first);
  expect(pool.totalCount).toBe(3);
});

test('a connection that has failed is replaced, and the pool goes on', async () => {
  const client = await pool.connect();
  client.release(new Error('broken'));
  const pids = await Promise.all(Array.from({ length: 4 }, () => pidOf(pool)));
  expect(new Set(pids).size).toBeGreaterThan(1);
  expect(pool.totalCount).toBeLessThanOrEqual(4);
});
