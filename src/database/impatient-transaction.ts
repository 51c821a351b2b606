import type pg from 'pg';
import { transaction, type WithCommit } from './database.js';
import { SQL_STATE, sqlStateOf } from './driver/sql-state.js';

/**
 * As `transaction`, but no statement of it waits for a lock for longer than that: another session may keep one for as
 * long as it likes (an administrator's open transaction, a process that was frozen within one).
 *
 * @throws Error with LOCK_NOT_AVAILABLE, when a lock was not to be had; see `orLocked`
 */
export function impatientTransaction<Result>(
  pool: pg.Pool,
  lockWaitMs: number,
  work: (client: pg.PoolClient, withCommit: WithCommit) => Promise<Result>,
): Promise<Result> {
  return transaction(pool, (client, withCommit) => {
    withCommit(limitLockWait(client, lockWaitMs));
    return work(client, withCommit);
  });
}

/** From now on no statement of this transaction waits for a lock for longer than that. */
export async function limitLockWait(client: pg.PoolClient, lockWaitMs: number): Promise<void> {
  await client.query(`set local lock_timeout = '${lockWaitMs} ms'`);
}

/** @returns 'LOCKED' where another session has something locked that it needs */
export function orLocked<Result>(result: Promise<Result>): Promise<Result | 'LOCKED'> {
  return result.catch((error: unknown) => {
    if (sqlStateOf(error) !== SQL_STATE.LOCK_NOT_AVAILABLE) {
      throw error;
    }
    return 'LOCKED';
  });
}
