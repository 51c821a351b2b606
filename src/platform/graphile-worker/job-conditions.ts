import { LANES } from '../../domain/pacing/lanes.js';

/** Parts of SQL statements: whether rows need jobs, whether they have them, and when jobs run. */

/** A job that was fetched this often is a suspect: four processes died with it in hand, or beside it. */
export const SUSPECT_FROM_FETCH = 5;

/** A suspect is put aside for this time. */
export const ASIDE_SECONDS = 3_600;

/**
 * A delivery that is due later than this has no job yet (`scheduleDeliveries` adds it in time): a million retries that
 * wait for hours would cost each fetch of jobs 115 ms (docs/decisions/0006).
 */
const JOBS_AHEAD_SECONDS = 60;

/** SQL: the priority of a delivery's next job, unless somebody has asked for the attempt. */
export const prioritySql = (attemptCount: string) =>
  `case when ${attemptCount} = 0 then ${LANES.FIRST.priority} else ${LANES.RETRY.priority} end`;

/** SQL condition: a delivery that is due at this time needs a job now. */
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

/** SQL condition: no job will align this webhook soon. */
export const hasNoAlignJobSql = (webhookId: string) => hasNoJobSoonSql(`'w:' || ${webhookId}`);

/** A job that names an attempt which was made does not count: it was put aside for that attempt. */
const namesNextAttemptSql = (delivery: string) =>
  `j.key = 'd:' || ${delivery}.id and (j.payload->>'attempt')::integer > ${delivery}.attempt_count`;

/** SQL condition: no job names the next attempt of `delivery`, a row with `id` and `attempt_count`. */
export const hasNoJobSql = (delivery: string) =>
  `not exists (select from hookwright_jobs._private_jobs j where ${namesNextAttemptSql(delivery)})`;

/**
 * SQL condition: no job, of its own or shared, will make this delivery's next attempt. A job that has been locked for
 * longer than any attempt takes does not count: its worker is dead, or the reply to its fetch was lost. Each job is
 * looked up: a join may read all of them.
 *
 * @param delivery the name of a row with `id`, `attempt_count` and `job_group`
 */
export const hasNoLiveJobSql = (delivery: string, lockedSeconds: string) =>
  [namesNextAttemptSql(delivery), `j.key = 'g:' || ${delivery}.job_group`]
    .map(
      (isItsJob) => `(
     select true from hookwright_jobs._private_jobs j
     where ${isItsJob}
       and j.attempts < j.max_attempts
       and (j.locked_at is null or j.locked_at > now() - ${lockedSeconds} * interval '1 second') limit 1) is null`,
    )
    .join(' and ');

/** SQL query: the deliveries of jobs that have been locked for longer than any attempt takes. */
export const forgottenDeliveriesSql = (lockedSeconds: string) => `
  select each.id::bigint as id
  from hookwright_jobs._private_jobs j
  cross join lateral json_array_elements_text(
    coalesce(j.payload->'ids', json_build_array(j.payload->'id'))) each(id)
  where j.locked_by is not null and j.locked_at < now() - ${lockedSeconds} * interval '1 second'
    and (j.key like 'd:%' or j.key like 'g:%')`;

/** SQL query: whose jobs workers have in hand, for no longer than this. */
export const jobsInHandSql = (atMostSeconds: string) => `
  select (j.payload->>'tenantId')::bigint as tenant_id, (j.payload->>'webhookId')::bigint as webhook_id,
         case when j.key like 'd:%' or j.key like 'g:%' then array(
           select each.id::bigint from json_array_elements_text(
             coalesce(j.payload->'ids', json_build_array(j.payload->'id'))) each(id)) end as delivery_ids
  from hookwright_jobs._private_jobs j
  where j.locked_at > now() - ${atMostSeconds} * interval '1 second' and j.attempts < j.max_attempts`;

/**
 * SQL, common table expressions for statements that replace jobs: `free_job` locks the jobs that no other session has
 * locked, and `locked_job` has the keys of the rest, for which the statement does not wait.
 *
 * @param keys a text[] of the jobs' keys: for an array no plan reads all jobs (docs/decisions/0017)
 */
export const lockFreeJobsSql = (keys: string) => `
    free_job as materialized (
      select key from hookwright_jobs._private_jobs where key = any(${keys}) order by key for update skip locked),
    locked_job as materialized (
      select key from hookwright_jobs._private_jobs
      where key = any(${keys}) and key not in (select key from free_job))`;

/**
 * SQL statement: jobs of these deliveries that run after `at` run then instead. A job that another session has locked
 * is passed over: it is being fetched or put off again.
 *
 * @param deliveries a query for their ids
 * @param putOffBefore jobs that were put off later are left alone
 */
export const wakeJobsSql = (deliveries: string, { at, putOffBefore }: { at: string; putOffBefore: string }) =>
  `update hookwright_jobs._private_jobs set run_at = ${at}
   where id in (
     select j.id from (${deliveries}) d join hookwright_jobs._private_jobs j on j.key = 'd:' || d.id
     where j.locked_at is null and j.run_at > ${at} and j.updated_at < ${putOffBefore} for update of j skip locked)
   returning id`;

/** SQL query: the job of its own that a delivery has, if that runs later. */
export const laterJobsSql = (deliveryId: string) => `
  select ${deliveryId} as id, j.priority from hookwright_jobs._private_jobs j
  where j.key = 'd:' || ${deliveryId} and j.locked_at is null and j.run_at > now()
    and j.attempts < ${SUSPECT_FROM_FETCH}`;

/**
 * SQL condition: a job `j` will do something. graphile-worker fetches no job that is dead: it has failed for good, or
 * another one took its place while it was running, and its time may lie hours ahead. A job of one delivery makes the
 * next attempt.
 *
 * @param pending a query for the deliveries that wait for an attempt
 */
export const hasWorkSql = (pending: string) => `
  j.attempts < j.max_attempts and (j.key not like 'd:%' or exists (
    select from (${pending}) d
    where d.id = (j.payload->>'id')::bigint and (j.payload->>'attempt')::integer > d.attempt_count))`;

/** SQL condition, and that of an index: only few jobs meet it. */
export const isSuspectSql = `attempts >= least(${SUSPECT_FROM_FETCH}, max_attempts)`;

const isAsideSql = (pending: string) => `
  j.attempts >= ${SUSPECT_FROM_FETCH} and j.locked_at is null and j.run_at > now() and ${hasWorkSql(pending)}`;

/** SQL query: the suspects that are put aside, and other jobs that have failed as often and are tried again. */
export const jobsAsideSql = (pending: string) =>
  `select from hookwright_jobs._private_jobs j where ${isSuspectSql} and ${isAsideSql(pending)}`;

/** SQL query: the same jobs and those that have failed for good, with what is known of each. */
export const jobsAsideListSql = (pending: string) => `
  select j.key, t.identifier as task, (substring(j.key from '^d:(\\d+)$'))::bigint as "deliveryId", j.attempts as tries,
         j.last_error as "lastError", case when j.attempts < j.max_attempts then j.run_at end as "triedAgainAt"
  from hookwright_jobs._private_jobs j join hookwright_jobs._private_tasks t on t.id = j.task_id
  where ${isSuspectSql} and j.key is not null and j.locked_at is null and (j.attempts >= j.max_attempts or (${isAsideSql(pending)}))
  order by j.id`;
