import type pg from 'pg';
import { query, type SqlTarget, transaction } from '../../platform/database/database.js';

/** Before the names of locks that stand for no row. They are the same in every version of the service. */
const PREFIX = 'hookwright.';

/** Takes a lock by name, which ends with the transaction. */
export async function lockFor(client: SqlTarget, name: string): Promise<void> {
  await query(client, { text: 'select pg_advisory_xact_lock(hashtextextended($1, 0))' }, [PREFIX + name]);
}

const BEAT_EVERY_MS = 1_000;

/**
 * Runs `work` unless another call, of any process, is running it. Postgres ends sessions that idle in a transaction, so
 * that others go on with the work of a frozen process; beats keep the session with the lock in use.
 */
export async function unlessRunningElsewhere(pool: pg.Pool, name: string, work: () => Promise<void>): Promise<void> {
  await transaction(pool, async (client) => {
    const { rows } = await client.query<{ locked: boolean }>(
      'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as locked',
      [PREFIX + name],
    );
    if (rows[0]?.locked !== true) {
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
