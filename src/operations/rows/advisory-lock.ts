import type pg from 'pg';
import { query, type SqlTarget, transaction } from '../../database/database.js';

/**
 * Locks by name, for what no row stands for. They go with the transaction that takes them, so a process that dies
 * does not keep one. Names are the same in all processes, also in those of an older version that run beside.
 */
const PREFIX = 'hookwright.';

/** Waits until no other transaction holds the lock, and holds it to the end of this one. */
export async function lockFor(client: SqlTarget, name: string): Promise<void> {
  await query(client, { text: 'select pg_advisory_xact_lock(hashtextextended($1, 0))' }, [PREFIX + name]);
}

/** As `lockFor`, without waiting. @returns whether this transaction holds the lock */
async function tryLockFor(client: pg.PoolClient, name: string): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as locked',
    [PREFIX + name],
  );
  return rows[0]?.locked ?? false;
}

/**
 * `work` uses other connections, and Postgres ends a session that idles in a transaction for some seconds: the one with
 * the lock is kept in use. That of a process that is frozen is not, and others go on with its work soon.
 */
const BEAT_EVERY_MS = 1_000;

/** Runs `work` unless another call, of this process or of another one, is just doing the same. */
export async function unlessRunningElsewhere(pool: pg.Pool, name: string, work: () => Promise<void>): Promise<void> {
  await transaction(pool, async (client) => {
    if (!(await tryLockFor(client, name))) {
      return;
    }
    const beat = setInterval(() => {
      client.query('select').catch(() => {}); // the end of the transaction tells
    }, BEAT_EVERY_MS);
    try {
      await work();
    } finally {
      clearInterval(beat);
    }
  });
}
