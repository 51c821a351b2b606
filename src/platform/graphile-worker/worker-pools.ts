import type pg from 'pg';
import { unlockedSql } from './locked-jobs.js';

/**
 * A worker pool is alive while its process has the pool's advisory lock, on a session of its own. Postgres frees the
 * lock when that session ends, however the process ended.
 */

/** The application name of the session that has a daemon's locks. */
export const CONTROL_NAME = 'hookwright control';

/** Longer than any daemon needs to connect to a Postgres that has just started, and to take its locks again. */
const SERVER_GRACE_SECONDS = 10;

/** A daemon beats each second, and sends nothing after 5 s without an answer. */
const FROZEN_SECONDS = 8;

/** SQL: the key of a worker pool's advisory lock. */
export const poolLockSql = (poolId: string) => `hashtextextended(${poolId}, 0)`;

/**
 * Keepalives end a session whose peer is cut off, within 11 s; a limit of idle time that of a frozen peer (a stopped
 * process), whose kernel still answers. Compiling `find_ownerless_pools` would take 375 ms each second, so JIT is off.
 */
export async function prepareControlSession(client: pg.ClientBase): Promise<void> {
  await client.query(
    `set tcp_keepalives_idle = 5; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 3;
     set idle_session_timeout = '${FROZEN_SECONDS} s';
     set jit = off`,
  );
}

/**
 * Shows that a worker pool is alive, until the session ends or `unlockPool` is called.
 *
 * @returns false while another session has the lock: an earlier one of ours that Postgres has not ended yet
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

/** SQL query: the pools that have jobs locked. It leaps from owner to owner in an index of locked jobs. */
export const lockOwnersSql = `
  with recursive owner(id) as (
    select min(locked_by) from hookwright_jobs._private_jobs where locked_by is not null
    union all
    select (select min(j.locked_by) from hookwright_jobs._private_jobs j where j.locked_by > owner.id)
    from owner where owner.id is not null)
  select id from owner where id is not null
  union select locked_by from hookwright_jobs._private_job_queues where locked_by is not null`;

/**
 * Finds the worker pools that have jobs locked and whose process is gone; none in the first seconds of a Postgres,
 * which has no advisory locks yet.
 *
 * @param ownPoolIds the pools of this process; their locks belong to this session, which could take them again
 */
export async function findOwnerlessPools(client: pg.ClientBase, ownPoolIds: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>({
    name: 'find_ownerless_pools',
    text: `
      with other as materialized (
        select id from (${lockOwnersSql}) owners
        where id <> all($1::text[])
          and pg_postmaster_start_time() < now() - interval '${SERVER_GRACE_SECONDS} seconds')
      select id from other where pg_try_advisory_xact_lock(${poolLockSql('id')})`,
    values: [ownPoolIds],
  });
  return rows.map(({ id }) => id);
}

/**
 * Frees the jobs of worker pools whose process is gone, and wakes the living pools. A pool whose process has taken its
 * lock again is left alone.
 *
 * @returns how many jobs were freed
 */
export async function freeJobsOfDead(client: pg.ClientBase, poolIds: readonly string[]): Promise<number> {
  const isOfDead = 'locked_by = any(array(select id from dead))';
  const { rows } = await client.query<{ jobs: number }>(
    `with dead as materialized (
       select id from unnest($1::text[]) id where pg_try_advisory_xact_lock(${poolLockSql('id')})),
     jobs as (
       update hookwright_jobs._private_jobs set locked_at = null, locked_by = null
       where ${unlockedSql(isOfDead)} returning id),
     queues as (
       update hookwright_jobs._private_job_queues set locked_at = null, locked_by = null where ${isOfDead})
     select count(*)::integer as jobs,
            pg_notify('jobs:insert', json_build_object('count', greatest(count(*), 1))::text)
     from jobs`,
    [poolIds],
  );
  return rows[0]?.jobs ?? 0;
}
