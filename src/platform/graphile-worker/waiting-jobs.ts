import type pg from 'pg';
import { type Raise, raisedPrioritySql } from '../../domain/pacing/lanes.js';
import { query, type Statement } from '../database/database.js';
import { SUSPECT_FROM_FETCH } from './job-conditions.js';

const callBackStatement: Statement = {
  name: 'call_back_deliveries',
  text: `
    with called as (
      update hookwright_jobs._private_jobs set run_at = now(), priority = ${raisedPrioritySql('priority')}
      where id = any(array(
        select id from hookwright_jobs._private_jobs
        where key = any($1::text[]) and locked_at is null and run_at > now() order by key for update skip locked))
      returning key),
    noticed as (
      select pg_notify('jobs:insert', json_build_object('r', random(), 'count', count(*))::text) as notice
      from called having count(*) > 0)
    select called.key from called left join noticed on true`,
};

/**
 * Lets put-off deliveries run now, ahead of first attempts, because each has a permit. A job that is running or being
 * written is passed over.
 *
 * @returns the ids of the deliveries whose jobs run now
 */
export async function callBackDeliveries(pool: pg.Pool, ids: readonly number[]): Promise<number[]> {
  const rows = await query<{ key: string }>(pool, callBackStatement, [ids.map((id) => `d:${id}`)]);
  return rows.map(({ key }) => Number(key.slice('d:'.length)));
}

/** A job that a worker pool has locked. */
interface CalledJob {
  id: string;
  key: string;
  payload: object;
  priority: number;
  fetches: number;
}

const callHereStatement: Statement = {
  name: 'call_deliveries_here',
  text: `
    update hookwright_jobs._private_jobs
    set run_at = now(), priority = ${raisedPrioritySql('priority')}, locked_at = now(), locked_by = $2,
        attempts = attempts + 1
    where id = any(array(
      select id from hookwright_jobs._private_jobs
      where key = any($1::text[]) and locked_at is null and run_at > now() order by key for update skip locked))
    returning id::text as id, key, payload, priority, attempts as fetches`,
};

/** Locks the jobs of put-off deliveries for a worker pool of this process, as `callBackDeliveries` finds them. */
export const callDeliveriesHere = (pool: pg.Pool, poolId: string, ids: readonly number[]): Promise<CalledJob[]> =>
  query<CalledJob>(pool, callHereStatement, [ids.map((id) => `d:${id}`), poolId]);

const raiseStatement: Statement = {
  name: 'raise_waiting_jobs',
  text: `
    update hookwright_jobs._private_jobs set priority = $2
    where id = any(array(
      select id from (
        select id, sum(deliveries) over (order by run_at, id) - deliveries as before
        from (
          select id, run_at, coalesce(json_array_length(payload->'ids'), 1) as deliveries
          from hookwright_jobs._private_jobs
          where is_available and priority = $1 and run_at < now() - $4 * interval '1 millisecond'
          order by run_at limit $3 for update skip locked) waiting) counted
      where before < $3))`,
};

/** Gives another priority to the jobs of a lane that have waited longest: those of this many deliveries. */
export async function raiseWaitingJobs(pool: pg.Pool, { from, to, count }: Raise, waitedMs: number): Promise<void> {
  await query(pool, raiseStatement, [from, to, count, waitedMs]);
}

const forgetAsideStatement: Statement = {
  name: 'forget_job_aside',
  text: `
    delete from hookwright_jobs._private_jobs
    where id = any(array(
      select id from hookwright_jobs._private_jobs
      where key = 'd:' || $1::bigint and locked_at is null and attempts >= $3
        and (payload ->> 'attempt')::integer = $2
      for update skip locked))`,
};

/**
 * Deletes the job that was put aside for an attempt which has ended. A job that took its place stays, and so does one
 * that another session has locked: in its hour it finds nothing to do.
 */
export async function forgetJobAside(pool: pg.Pool, { id, attempt }: { id: number; attempt: number }): Promise<void> {
  await query(pool, forgetAsideStatement, [id, attempt, SUSPECT_FROM_FETCH]);
}
