import { Logger } from 'graphile-worker';
import type pg from 'pg';
import { query, type Statement } from '../../database/database.js';
import { LANES, type Raise } from '../../domain/lanes.js';

/**
 * With `locked-jobs.ts` the only file that names graphile-worker's SQL; statements elsewhere add their jobs by the
 * functions `hookwright.enqueue_…`. A job is a hint; the rows are the truth.
 */

/** graphile-worker's schema for our jobs. Its usual one may be that of an application in the same database. */
export const JOBS_SCHEMA = 'hookwright_jobs';

/** graphile-worker logs each job by default, which costs more than running it. */
export const quietLogger = new Logger(() => () => {});

/** Names of the tasks, as the daemon registers them. */
export const DELIVER_TASK = 'deliver';
export const DELIVER_GROUP_TASK = 'deliver-group';
export const SETTLE_TASK = 'settle-webhook';
export const BULK_TASK = 'bulk-operation';
export const HOUSEKEEPING_TASK = 'housekeeping';

/** As the functions `hookwright.enqueue_…` write it: a fetch counts, however often a delivery is put off. */
export const JOB_FETCHES_MAX = 25;

export interface DeliverPayload {
  id: number;
  attempt: number;
}

/** First attempts of deliveries that were made together: what a fetch, a job's end and its row cost, they share. */
export interface DeliverGroupPayload {
  group: number;
  ids: number[];
}

/** As the functions `hookwright.enqueue_…` write it: what is wanted once has one job. */
export const jobKeyOf = (payload: DeliverPayload | DeliverGroupPayload): string =>
  'ids' in payload ? `g:${payload.group}` : `d:${payload.id}`;

/** How far the deliveries of a webhook that were put off have been woken. */
export interface Woken {
  /** All up to this one. */
  wokenTo: number;
  /** A time as Postgres writes it: those that were put off before are woken. */
  putOffBefore: string;
}

export interface SettlePayload extends Partial<Woken> {
  webhookId: number;
  tenantId: number;
}

export interface BulkPayload {
  operationId: number;
  tenantId: number;
  /** See `bulkPause`. */
  waitedMs: number;
}

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
export const needsJobSql = (dueAt: string) =>
  `${dueAt} <= now() + ${JOBS_AHEAD_SECONDS} * interval '1 second'`;

/**
 * The search for jobs of dead workers reads the locked ones alone, and `force_unlock_workers` finds them by their
 * owner. Fetches and ends find each job by its id, through an index that cannot be read from end to end, so that no
 * plan does that (docs/decisions/0017).
 */
export async function indexJobs(client: pg.ClientBase): Promise<void> {
  // Not `create index if not exists`: that locks the table first, behind every transaction that has added a job.
  await client.query(
    `do $$ begin
       if to_regclass('hookwright_jobs.hookwright_jobs_by_owner') is null then
         create index hookwright_jobs_by_owner on hookwright_jobs._private_jobs (locked_by) where locked_by is not null;
       end if;
       if to_regclass('hookwright_jobs.hookwright_jobs_by_id') is null then
         create index hookwright_jobs_by_id on hookwright_jobs._private_jobs using hash (id);
       end if; end $$`,
  );
}

/**
 * graphile-worker writes a task's name down with its first job. Done by an application's transaction that stays open,
 * that would have everybody's jobs wait for it.
 */
export async function nameTasks(client: pg.ClientBase): Promise<void> {
  const names = [DELIVER_TASK, DELIVER_GROUP_TASK, SETTLE_TASK, BULK_TASK];
  await client.query(
    `insert into hookwright_jobs._private_tasks (identifier)
     select name from unnest($1::text[]) name on conflict do nothing`,
    [names],
  );
}

/**
 * Has a webhook's open deliveries brought in line with it, once this is committed. One such job waits per webhook.
 *
 * @param woken what an earlier job has done of it; a job that waits and has more to do keeps its work
 */
export async function enqueueSettle(
  client: pg.PoolClient | pg.Pool,
  tenantId: number,
  webhookId: number,
  { wokenTo, putOffBefore }: Partial<Woken> = {},
  inMs = 0,
): Promise<void> {
  const text = 'select hookwright.enqueue_settle($1, $2, $3, $4, $5)';
  await query(client, { name: 'enqueue_settle', text }, [webhookId, tenantId, wokenTo, putOffBefore, inMs]);
}

/** As `enqueueSettle`, for many webhooks of a tenant. */
export async function enqueueSettles(
  client: pg.PoolClient,
  tenantId: number,
  webhookIds: readonly number[],
): Promise<void> {
  const text = 'select hookwright.enqueue_settle(id, $1, null, null, 0) from unnest($2::bigint[]) as id';
  await query(client, { text }, [tenantId, webhookIds]);
}

/** Has the next chunk of a bulk operation done. It has one job: this one takes the place of another that waits. */
export async function enqueueBulkOperation(
  client: pg.PoolClient | pg.Pool,
  { operationId, tenantId, waitedMs }: BulkPayload,
  inMs: number,
): Promise<void> {
  const text = 'select hookwright.enqueue_bulk_operation($1, $2, $3, $4)';
  await query(client, { name: 'enqueue_bulk_operation', text }, [operationId, tenantId, inMs, waitedMs]);
}

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
export const hasNoSettleJobSql = (webhookId: string) => hasNoJobSoonSql(`'w:' || ${webhookId}`);

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

const raiseStatement: Statement = {
  text: `
    update hookwright_jobs._private_jobs set priority = $2
    where id in (
      select id from (
        select id, sum(deliveries) over (order by run_at, id) - deliveries as before
        from (
          select id, run_at, coalesce(json_array_length(payload->'ids'), 1) as deliveries
          from hookwright_jobs._private_jobs
          where is_available and priority = $1 and run_at < now() - $4 * interval '1 millisecond'
          order by run_at limit $3 for update skip locked) waiting) counted
      where before < $3)`,
};

/** Gives the jobs of a lane that have waited longest another priority: those of so many deliveries. */
export async function raiseWaitingJobs(
  pool: pg.Pool,
  { from, to, count }: Raise,
  waitedMs: number,
): Promise<void> {
  await query(pool, raiseStatement, [from, to, count, waitedMs]);
}

/**
 * Fetched this often, four processes have died with the job in hand, or it was there each time another one killed them.
 */
export const SUSPECT_FROM_FETCH = 5;

/** SQL query: the suspects that are put aside. */
export const jobsAsideSql = `
  select from hookwright_jobs._private_jobs
  where attempts >= ${SUSPECT_FROM_FETCH} and locked_at is null and run_at > now()`;

/** SQL query: when the crontab's hourly job was last started. */
export const lastHousekeepingSql = `
  select max(last_execution) from hookwright_jobs._private_known_crontabs where identifier = '${HOUSEKEEPING_TASK}'`;

/** A clock that was ahead for a while has left times behind, before which the crontab would start nothing. */
export const forgetFutureRunsSql = `
  update hookwright_jobs._private_known_crontabs set last_execution = now()
  where last_execution > now() + interval '5 minutes'`;
