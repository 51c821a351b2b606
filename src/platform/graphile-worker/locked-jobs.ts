import type pg from 'pg';
import { query, type Statement } from '../database/database.js';
import { isSuspectSql } from './job-conditions.js';

/** Jobs that worker pools have locked. A job whose row another session has locked is passed over. */

/** An array, because a join with the table that was planned while it was empty reads all of it when it is long. */
export const unlockedSql = (where: string) => `
  id = any(array(select id from hookwright_jobs._private_jobs where ${where} for update skip locked))`;

/**
 * Frees the jobs that a worker pool of this process has locked, except those in hand, and wakes the living pools. The
 * fetch does not count. A job that was replaced meanwhile stays dead (`deleteDeadJobs`).
 */
export async function freeJobsNotInHand(pool: pg.Pool, poolId: string, inHand: ReadonlySet<string>): Promise<void> {
  const text = freeJobsSql('id <> all($2::bigint[])');
  await query(pool, { name: 'free_jobs_not_in_hand', text }, [poolId, [...inHand]]);
}

/**
 * Frees these jobs, as `freeJobsNotInHand` does.
 *
 * @returns how many were freed; the pool does not have the others locked, or another session has their rows locked
 */
export async function freeJobs(pool: pg.Pool, poolId: string, ids: readonly string[]): Promise<number> {
  const text = freeJobsSql('id = any($2::bigint[])');
  const [row] = await query<{ freed: number }>(pool, { name: 'free_jobs', text }, [poolId, ids]);
  return row?.freed ?? 0;
}

const freeJobsSql = (where: string) => `
  with freed as (
    update hookwright_jobs._private_jobs
    set locked_by = null, locked_at = null,
        attempts = case when key is null and attempts >= max_attempts then attempts else greatest(attempts - 1, 0) end
    where ${unlockedSql(`locked_by = $1 and ${where}`)}
    returning id)
  select count(*)::integer as freed, pg_notify('jobs:insert', json_build_object('count', count(*))::text)
  from freed having count(*) > 0`;

/** Jobs in hand are locked again after this time, so that the sweeps do not take them for forgotten. */
const RENEWED_AFTER_SECONDS = 20;

const renewStatement: Statement = {
  name: 'renew_locks',
  text: `
    update hookwright_jobs._private_jobs set locked_at = now()
    where ${unlockedSql(`
      locked_by = $1 and id = any($2::bigint[])
      and locked_at < now() - ${RENEWED_AFTER_SECONDS} * interval '1 second'`)}`,
};

export async function renewLocks(pool: pg.Pool, poolId: string, inHand: readonly string[]): Promise<void> {
  await query(pool, renewStatement, [poolId, inHand]);
}

/** Deletes jobs that were replaced while they were locked: graphile-worker leaves them behind and never runs them. */
export async function deleteDeadJobs(pool: pg.Pool): Promise<void> {
  await pool.query(
    `delete from hookwright_jobs._private_jobs
     where ${unlockedSql(`${isSuspectSql} and attempts >= max_attempts and locked_at is null and key is null`)}`,
  );
}
