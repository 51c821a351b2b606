import { LANES } from '../../domain/pacing/lanes.js';
import { SUSPECT_FROM_FETCH } from './tasks.js';

/** Parts of statements, as SQL: whether rows need jobs and have them, and when jobs run. */

/**
 * A delivery that is due later than this has no job yet (`scheduleDeliveries` adds it in time). A fetch goes through
 * the jobs in the order of priority and time, so a million retries that wait for hours would cost each fetch 115 ms;
 * and an index by time would make it sort everything that is due instead (docs/decisions/0006).
 */
const JOBS_AHEAD_SECONDS = 60;

/**
 * Nothing is put off for longer: retries, `Retry-After`, turns of a tenant and suspects take an hour at most. What is
 * due later than this was written while the database's clock was ahead.
 */
export const FURTHEST_MINUTES = 75;

/** SQL: the priority of a delivery's next job, when nobody has asked for it. */
export const prioritySql = (attemptCount: string) =>
  `case when ${attemptCount} = 0 then ${LANES.FIRST.priority} else ${LANES.RETRY.priority} end`;

/** SQL condition: what is due then needs a job now. */
export const needsJobSql = (dueAt: string) => `${dueAt} <= now() + ${JOBS_AHEAD_SECONDS} * interval '1 second'`;

/** Longer than any pause between two jobs of one piece of work, and than any such job runs: see `bulkPause`. */
const SILENT_SECONDS = 30;

/** SQL condition: no job of this key runs, or will run soon. */
const hasNoJobSoonSql = (key: string) =>
  `not exists (
     select from hookwright_jobs._private_jobs j
     where j.key = ${key} and j.attempts < j.max_attempts
       and j.run_at < now() + ${SILENT_SECONDS} * interval '1 second'
       and (j.locked_at is null or j.locked_at > now() - ${SILENT_SECONDS} * interval '1 second'))`;

/** SQL condition: no job will bring this bulk operation on soon. */
export const hasNoBulkJobSql = (operationId: string) => hasNoJobSoonSql(`'b:' || ${operationId}`);

/** SQL condition: no job will settle this webhook soon. */
export const hasNoAlignJobSql = (webhookId: string) => hasNoJobSoonSql(`'w:' || ${webhookId}`);

/** A job that names an attempt already made is no job: it was put aside for that one. */
const namesNextAttemptSql = (delivery: string) =>
  `j.key = 'd:' || ${delivery}.id and (j.payload->>'attempt')::integer > ${delivery}.attempt_count`;

/** SQL condition: no job names the next attempt of `delivery`, a row with `id` and `attempt_count`. */
export const hasNoJobSql = (delivery: string) =>
  `not exists (select from hookwright_jobs._private_jobs j where ${namesNextAttemptSql(delivery)})`;

/**
 * SQL condition: no job will bring this delivery up again by itself, neither one of its own nor one that it shares. A
 * job that has been locked for longer than any attempt takes belongs to a dead worker, or to none: a lost reply to a
 * fetch strands jobs under a live one. So does one that was put off while the clock was ahead.
 *
 * @param delivery the name of a row with `id`, `attempt_count` and `job_group`
 */
export const hasNoLiveJobSql = (delivery: string, lockedSeconds: string) =>
  [namesNextAttemptSql(delivery), `j.key = 'g:' || ${delivery}.job_group`]
    .map(
      (isItsJob) => `not exists (
     select from hookwright_jobs._private_jobs j
     where ${isItsJob}
       and j.attempts < j.max_attempts and j.run_at < now() + ${FURTHEST_MINUTES} * interval '1 minute'
       and (j.locked_at is null or j.locked_at > now() - ${lockedSeconds} * interval '1 second'))`,
    )
    .join(' and ');

/**
 * SQL, common table expressions for who adds jobs in the place of others: `free_job` locks those of them that no other
 * session has locked, and `locked_job` has the keys of the rest. Who waited for one of these (an administrator's open
 * transaction) would keep all that it adds jobs for waiting.
 *
 * @param keys a text[] of the jobs' keys. An array, lest a plan read the jobs from end to end (docs/decisions/0017)
 */
export const lockFreeJobsSql = (keys: string) => `
    free_job as materialized (
      select key from hookwright_jobs._private_jobs where key = any(${keys}) order by key for update skip locked),
    locked_job as materialized (
      select key from hookwright_jobs._private_jobs
      where key = any(${keys}) and key not in (select key from free_job))`;

/**
 * SQL statement: lets the jobs of these deliveries run at a time that wait for a later one. A job that somebody else
 * has locked is passed by: it is fetched, or put off again.
 *
 * @param deliveries a query for their ids
 * @param putOffBefore jobs that were put off since then are left alone
 */
export const wakeJobsSql = (deliveries: string, { at, putOffBefore }: { at: string; putOffBefore: string }) =>
  `update hookwright_jobs._private_jobs set run_at = ${at}
   where id in (
     select j.id from (${deliveries}) d join hookwright_jobs._private_jobs j on j.key = 'd:' || d.id
     where j.locked_at is null and j.run_at > ${at} and j.updated_at < ${putOffBefore} for update of j skip locked)
   returning id`;

const isAsideSql = `attempts >= ${SUSPECT_FROM_FETCH} and locked_at is null and run_at > now()`;

/** SQL query: the suspects that are put aside. */
export const jobsAsideSql = `select from hookwright_jobs._private_jobs where ${isAsideSql}`;

/** SQL query: the same, and those that have failed for good; what is known of each. */
export const jobsAsideListSql = `
  select j.key, t.identifier as task, (substring(j.key from '^d:(\\d+)$'))::bigint as "deliveryId", j.attempts as tries,
         j.last_error as "lastError", case when j.attempts < j.max_attempts then j.run_at end as "triedAgainAt"
  from hookwright_jobs._private_jobs j join hookwright_jobs._private_tasks t on t.id = j.task_id
  where j.key is not null and j.locked_at is null
    and (attempts >= max_attempts or (${isAsideSql}))
  order by j.id`;
