import { Logger } from 'graphile-worker';
import type pg from 'pg';
import { ALIGN_TASK, BULK_TASK, DELIVER_GROUP_TASK, DELIVER_TASK, HOUSEKEEPING_TASK } from './tasks.js';

/** graphile-worker's schema for our jobs. Its usual one may be that of an application in the same database. */
export const JOBS_SCHEMA = 'hookwright_jobs';

/** graphile-worker logs each job by default, which costs more than running it. */
export const quietLogger = new Logger(() => () => {});

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
  const names = [DELIVER_TASK, DELIVER_GROUP_TASK, ALIGN_TASK, BULK_TASK];
  await client.query(
    `insert into hookwright_jobs._private_tasks (identifier)
     select name from unnest($1::text[]) name on conflict do nothing`,
    [names],
  );
}

/** SQL query: when the crontab's hourly job was last started. */
export const lastHousekeepingSql = `
  select max(last_execution) from hookwright_jobs._private_known_crontabs where identifier = '${HOUSEKEEPING_TASK}'`;

/** A clock that was ahead for a while has left times behind, before which the crontab would start nothing. */
export const forgetFutureRunsSql = `
  update hookwright_jobs._private_known_crontabs set last_execution = now()
  where last_execution > now() + interval '5 minutes'`;
