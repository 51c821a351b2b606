import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { SQL_STATE, sqlStateOf } from '../../platform/database/driver/sql-state.js';

/** A statement that waits for a table's lock delays all later ones, so it waits for moments only. */
export const LOCK_MS = 300;
const LOCK_PAUSE_MS = 700;
/** About a minute. */
const LOCK_TRIES = 60;

/**
 * @param work waits for locks for LOCK_MS, and can be begun again
 * @throws Error with a sentence when a table stays locked for about a minute
 */
export async function withLocks(work: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await work();
      return;
    } catch (error) {
      if (sqlStateOf(error) !== SQL_STATE.LOCK_NOT_AVAILABLE) {
        throw error;
      }
      if (tries === LOCK_TRIES) {
        throw new Error(
          `Transactions have kept a table locked that is to be changed, for about a minute (${(error as Error).message}). ` +
            'End them, and migrate again: what has been done stays done.',
        );
      }
      await delay(LOCK_PAUSE_MS);
    }
  }
}

/** Does the work in a transaction, which is begun again while a table is locked (`withLocks`). */
export const inPatientTransaction = (client: pg.Client, work: () => Promise<unknown>) =>
  withLocks(async () => {
    await client.query(`begin; set local lock_timeout = ${LOCK_MS}`);
    try {
      await work();
      await client.query('commit');
    } catch (error) {
      await client.query('rollback').catch(() => {}); // without a connection there is no transaction
      throw error;
    }
  });
