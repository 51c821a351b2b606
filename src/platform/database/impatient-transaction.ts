import type pg from 'pg';
import { transaction, type WithCommit } from './database.js';
import { isLocked } from './driver/sql-state.js';

/**
 * `transaction` with a limit on the wait for each lock, which another session may keep for long (an administrator's
 * open transaction, a frozen process).
 *
 * @throws Error with LOCK_NOT_AVAILABLE after that time; see `orLocked`
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

/** Limits how long each later statement of the transaction waits for a lock. */
export async function limitLockWait(client: pg.PoolClient, lockWaitMs: number): Promise<void> {
  await client.query(`set local lock_timeout = '${lockWaitMs} ms'`);
}

/** @returns 'LOCKED' when another session has locked a row that it needs */
export function orLocked<Result>(result: Promise<Result>): Promise<Result | 'LOCKED'> {
  return result.catch((error: unknown) => {
    if (!isLocked(error)) {
      throw error;
    }
    return 'LOCKED';
  });
}
