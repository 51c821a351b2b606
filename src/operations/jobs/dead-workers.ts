import type pg from 'pg';
import { lockOwnersSql, poolLockSql, unlockPoolsSql } from './locked-jobs.js';

/**
 * A worker pool is alive as long as its process holds the pool's advisory lock, on a session of its own. Postgres
 * frees the lock in the moment in which that session ends, however the process came to its end.
 */

/** The application name of a daemon's session that has these locks. */
export const CONTROL_NAME = 'hookwright control';

/** Longer than any daemon takes to connect again, with its locks, to a Postgres that has just started. */
const SERVER_GRACE_SECONDS = 10;

/** A daemon beats each second, and sends nothing any more after 5 s without an answer. */
const FROZEN_SECONDS = 8;

/**
 * A session whose peer is cut off without a word ends within about 11 s, and its locks with it. One whose peer is
 * there and does nothing any more (a container that is paused, a process that is stopped) has a kernel that still
 * answers: only the time that it idles tells. Compiling the search for ownerless pools would take a thousand times as
 * long as running it (375 ms, each second).
 */
export async function prepareControlSession(client: pg.ClientBase): Promise<void> {
  await client.query(
    `set tcp_keepalives_idle = 5; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 3;
     set idle_session_timeout = '${FROZEN_SECONDS} s';
     set jit = off`,
  );
}

/**
 * Tells everybody that a worker pool is alive, until the session ends or `unlockPool` is called.
 *
 * @returns false while another session has the lock: an earlier one of ours that Postgres has not yet given up
 */
export async function tryLockPool(client: pg.ClientBase, poolId: string): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    `select pg_try_advisory_lock(${poolLockSql('$1')}) as locked`,
    [poolId],
  );
  return rows[0]?.locked === true;
}

export async function unlockPool(client: pg.ClientBase, poolId: string): Promise<void> {
  await client.query(`select pg_advisory_unlock(${poolLockSql('$1')})`, [poolId]);
}

/**
 * Finds the worker pools that have jobs locked and whose process has gone. A Postgres that has just started has
 * nobody's lock yet, so for its first seconds nobody is taken for dead.
 *
 * @param ownPoolIds the pools of this process; their locks are this session's, so it could obtain them
 */
export async function findOwnerlessPools(client: pg.ClientBase, ownPoolIds: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>({
    name: 'find_ownerless_pools',
    text: `
      with other as materialized (
        select id from (${lockOwnersSql}) owners
        where id <> all($1::text[])
          -- A start that lies ahead is long ago: the clock was set back.
          and not pg_postmaster_start_time() between now() - interval '${SERVER_GRACE_SECONDS} seconds' and now())
      select id from other where pg_try_advisory_xact_lock(${poolLockSql('id')})`,
    values: [ownPoolIds],
  });
  return rows.map(({ id }) => id);
}

/**
 * Frees the jobs of worker pools whose process has gone, and wakes the living. A pool whose process has taken its
 * lock again in the meantime is left alone.
 *
 * @returns how many jobs were freed
 */
export async function freeJobsOfDead(client: pg.ClientBase, poolIds: readonly string[]): Promise<number> {
  await client.query('begin');
  try {
    const { rows: dead } = await client.query<{ id: string }>(
      `select id from unnest($1::text[]) id where pg_try_advisory_xact_lock(${poolLockSql('id')})`,
      [poolIds],
    );
    const { rows: freed } = await client.query<{ jobs: number }>(unlockPoolsSql('$1::text[]'), [
      dead.map(({ id }) => id),
    ]);
    await client.query('commit');
    return freed[0]?.jobs ?? 0;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}
