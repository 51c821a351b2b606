import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unlessRunningElsewhere } from '../../src/operations/rows/advisory-lock.js';
import { onPoolErrors, poolOptions } from '../../src/platform/database/database.js';
import { createTestDatabase } from '../support/database.js';
import { DatabaseProxy } from '../support/database-proxy.js';
import { eventually } from '../support/eventually.js';

/** In place of 15 s, which is more than any test should wait. */
const IDLE_MS = 1_500;

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let proxy: DatabaseProxy;
/** Pools of the process that does the work, and of another one. */
let own: pg.Pool;
let other: pg.Pool;

function openPool(url: string): pg.Pool {
  const pool = new pg.Pool({ ...poolOptions(url, 2), idle_in_transaction_session_timeout: IDLE_MS });
  onPoolErrors(pool, () => {});
  return pool;
}

beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await DatabaseProxy.open(database.url);
  own = openPool(proxy.url);
  other = openPool(database.url);
});

afterAll(async () => {
  await proxy.close();
  await Promise.all([own.end(), other.end()]);
  await database.drop();
});

async function canBegin(): Promise<boolean> {
  let hasBegun = false;
  await unlessRunningElsewhere(other, 'work', async () => {
    hasBegun = true;
  });
  return hasBegun;
}

/** Whether the transaction with the lock is older than a session may idle in one. */
async function hasIdledForLong(): Promise<boolean> {
  const { rows } = await other.query(
    `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
     and xact_start < clock_timestamp() - $1 * interval '1 millisecond'
     and pid in (select pid from pg_locks where locktype = 'advisory')`,
    [IDLE_MS + 1_000],
  );
  return rows.length > 0;
}

describe('work that one process does at a time', () => {
  test('may take longer than a session may idle in a transaction', async () => {
    await unlessRunningElsewhere(own, 'work', async () => {
      await eventually(hasIdledForLong);
      expect(await canBegin()).toBe(false);
    });
    expect(await canBegin()).toBe(true);
  });

  test('is done by another process within seconds, when the one that does it is frozen', async () => {
    const begun = Promise.withResolvers<void>();
    const rest = Promise.withResolvers<void>();
    const working = unlessRunningElsewhere(own, 'work', () => {
      begun.resolve();
      return rest.promise;
    });
    await begun.promise;
    expect(await canBegin()).toBe(false);
    proxy.swallow();
    await eventually(canBegin);
    proxy.takeAway();
    rest.resolve();
    await expect(working).rejects.toThrow();
  });
});
