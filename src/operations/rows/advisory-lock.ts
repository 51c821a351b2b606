import type pg from 'pg';
import { query, type SqlTarget, type Statement, transaction } from '../../platform/database/database.js';

/** Before the names of locks that stand for no row. They are the same in every version of the service. */
const PREFIX = 'hookwright.';

const lockStatement: Statement = {
  name: 'lock_by_name',
  text: 'select pg_advisory_xact_lock(hashtextextended($1, 0))',
};
const tryLockStatement: Statement = {
  name: 'try_lock_by_name',
  text: 'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as locked',
};

/** Takes a lock by name, which ends with the transaction. */
export async function lockFor(client: SqlTarget, name: string): Promise<void> {
  await query(client, lockStatement, [PREFIX + name]);
}

const BEAT_EVERY_MS = 1_000;

/**
 * Runs `work` unless another call, of any process, is running it. Postgres ends sessions that idle in a transaction, so
 * that others go on with the work of a frozen process; beats keep the session with the lock in use.
 */
export async function unlessRunningElsewhere(pool: pg.Pool, name: string, work: () => Promise<void>): Promise<void> {
  await transaction(pool, async (client) => {
    const [row] = await query<{ locked: boolean }>(client, tryLockStatement, [PREFIX + name]);
    if (row?.locked !== true) {
      return;
    }
    const beat = setInterval(() => {
      client.query('select').catch(() => {}); // the transaction fails at its end
    }, BEAT_EVERY_MS);
    try {
      await work();
    } finally {
      clearInterval(beat);
    }
  });
}
