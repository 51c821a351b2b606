import type pg from 'pg';
import { orLocked } from '../../database/impatient-transaction.js';

/**
 * Jobs that worker pools have locked: whose they are, for how long, and how they become free again. One whose row
 * another session has locked (an administrator's open transaction) holds up no other: it is passed over.
 */

/**
 * @throws Error where a lock was not to be had. It is without its cause, which reads as an outage, in which nobody is
 *   tried alone
 */
export async function unlessJobLocked<Result>(result: Promise<Result>): Promise<Result> {
  const done = await orLocked(result);
  if (done === 'LOCKED') {
    throw new Error('Another session has a job of these deliveries locked.');
  }
  return done;
}

const takenSql = (which: string) => `
  id in (select id from hookwright_jobs._private_jobs where ${which} for update skip locked)`;

/**
 * Frees the jobs that a worker pool of this process has locked, but for those in hand, and wakes the living pools.
 * They were not run, or could not be completed: that says nothing against them, so no attempt is counted. Those that
 * were replaced meanwhile have no key, and all attempts used up: they stay dead (`deleteDeadJobs`).
 */
export async function freeJobsNotInHand(pool: pg.Pool, poolId: string, inHand: ReadonlySet<string>): Promise<void> {
  await pool.query(freeJobsSql('id <> all($2::bigint[])'), [poolId, [...inHand]]);
}

/**
 * As `freeJobsNotInHand`, for these jobs alone.
 *
 * @returns how many were freed: the others the pool has locked no more, or another session has their rows locked
 */
export async function freeJobs(pool: pg.Pool, poolId: string, ids: readonly string[]): Promise<number> {
  const { rows } = await pool.query<{ freed: number }>(freeJobsSql('id = any($2::bigint[])'), [poolId, ids]);
  return rows[0]?.freed ?? 0;
}

const freeJobsSql = (which: string) => `
  with freed as (
    update hookwright_jobs._private_jobs
    set locked_by = null, locked_at = null,
        attempts = case when key is null and attempts >= max_attempts then attempts else greatest(attempts - 1, 0) end
    where ${takenSql(`locked_by = $1 and ${which}`)}
    returning id)
  select count(*)::integer as freed, pg_notify('jobs:insert', json_build_object('count', count(*))::text)
  from freed having count(*) > 0`;

/** A job in hand is locked again after this long, lest the sweeps take it for one in nobody's hands. */
const RENEWED_AFTER_SECONDS = 20;

/** Which jobs a pool has had locked for longer than this, but for those that it knows of. */
export async function findForgotten(
  pool: pg.Pool,
  poolId: string,
  known: readonly string[],
  lockedSeconds: number,
): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `select id::text from hookwright_jobs._private_jobs
     where locked_by = $1 and id <> all($2::bigint[]) and locked_at < now() - $3 * interval '1 second'`,
    [poolId, known, lockedSeconds],
  );
  return rows.map(({ id }) => id);
}

/** Locks the jobs in hand again that wait for a slot, or whose attempts take their time. */
export async function renewLocks(pool: pg.Pool, poolId: string, inHand: readonly string[]): Promise<void> {
  await pool.query(
    `update hookwright_jobs._private_jobs set locked_at = now()
     where ${takenSql(`
       locked_by = $1 and id = any($2::bigint[])
       and locked_at < now() - ${RENEWED_AFTER_SECONDS} * interval '1 second'`)}`,
    [poolId, inHand],
  );
}

/** The name of the lock that a worker pool's process holds for as long as it is alive. */
export const poolLockSql = (poolId: string) => `hashtextextended(${poolId}, 0)`;

/**
 * SQL query: who has jobs locked, found by leaping from owner to owner in an index of locked jobs alone. The million
 * that wait are not looked at.
 */
export const lockOwnersSql = `
  with recursive owner(id) as (
    select min(locked_by) from hookwright_jobs._private_jobs where locked_by is not null
    union all
    select (select min(j.locked_by) from hookwright_jobs._private_jobs j where j.locked_by > owner.id)
    from owner where owner.id is not null)
  select id from owner where id is not null
  union select locked_by from hookwright_jobs._private_job_queues where locked_by is not null`;

/** SQL: frees all that the pools in the text[] `poolIds` have locked; answers with how many jobs that were. */
export const unlockPoolsSql = (poolIds: string) => `
  with jobs as (
    update hookwright_jobs._private_jobs set locked_at = null, locked_by = null
    where ${takenSql(`locked_by = any(${poolIds})`)} returning id),
  queues as (
    update hookwright_jobs._private_job_queues set locked_at = null, locked_by = null
    where locked_by = any(${poolIds}))
  select count(*)::integer as jobs,
         pg_notify('jobs:insert', json_build_object('count', greatest(count(*), 1))::text)
  from jobs`;

/** Deletes what graphile-worker leaves behind and never runs again: jobs that were replaced while they were locked. */
export async function deleteDeadJobs(pool: pg.Pool): Promise<void> {
  await pool.query(
    `delete from hookwright_jobs._private_jobs
     where ${takenSql('attempts >= max_attempts and locked_at is null and key is null')}`,
  );
}
