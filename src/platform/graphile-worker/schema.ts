import type pg from 'pg';
import { isSuspectSql } from './job-conditions.js';
import { Logger } from './library.js';

/** graphile-worker's schema for our jobs. An application in the same database may use the default schema. */
export const JOBS_SCHEMA = 'hookwright_jobs';

/** The newest migration of graphile-worker, which does not export its list. */
const JOBS_MIGRATION = 20;

/** By default graphile-worker logs each job, which costs more than running it. */
export const quietLogger = new Logger(() => () => {});

/** The names of our indexes of jobs, each with its columns and condition. */
const JOB_INDEXES = {
  /** Finds locked jobs by their owner, for the search for dead workers. */
  hookwright_jobs_by_owner: '(locked_by) where locked_by is not null',
  /** Finds each job by its id, and cannot be read from end to end, so no plan does that (docs/decisions/0017). */
  hookwright_jobs_by_id: 'using hash (id)',
  /** The few jobs that were fetched again and again. */
  hookwright_jobs_suspect: `(id) where ${isSuspectSql}`,
};
const areIndexedSql = Object.keys(JOB_INDEXES)
  .map((name) => `to_regclass('hookwright_jobs.${name}') is not null`)
  .join(' and ');

export async function indexJobs(client: pg.ClientBase): Promise<void> {
  // `create index if not exists` would lock the table first, behind every transaction that has added a job.
  for (const [name, on] of Object.entries(JOB_INDEXES)) {
    await client.query(
      `do $$ begin
         if to_regclass('hookwright_jobs.${name}') is null then
           create index ${name} on hookwright_jobs._private_jobs ${on};
         end if; end $$`,
    );
  }
}

/** Otherwise the first job of each task would write its name, and other jobs wait for the end of its transaction. */
export async function nameTasks(client: pg.ClientBase, names: readonly string[]): Promise<void> {
  await client.query(
    `insert into hookwright_jobs._private_tasks (identifier)
     select name from unnest($1::text[]) name on conflict do nothing`,
    [names],
  );
}

/**
 * Finds what the library and the functions above would do.
 *
 * @param tasks names for `nameTasks`
 * @returns `hookwright_jobs`, with what it lacks
 */
export async function pendingOfJobs(client: pg.ClientBase, tasks: readonly string[]): Promise<string[]> {
  const { rows: tables } = await client.query<{ made: boolean; indexed: boolean }>(
    `select to_regclass('hookwright_jobs.migrations') is not null as made,
            ${areIndexedSql} as indexed`,
  );
  const { made = false, indexed = false } = tables[0] ?? {};
  if (!made) {
    return [JOBS_SCHEMA];
  }
  const { rows } = await client.query<{ migration: number; isNamed: boolean }>(
    `select (select max(id) from hookwright_jobs.migrations) as migration,
            $1::text[] <@ array(select identifier from hookwright_jobs._private_tasks) as "isNamed"`,
    [tasks],
  );
  const { migration = 0, isNamed = false } = rows[0] ?? {};
  return [
    ...(migration < JOBS_MIGRATION ? [`${JOBS_SCHEMA} (migration ${JOBS_MIGRATION} of graphile-worker)`] : []),
    ...(indexed && isNamed ? [] : [`${JOBS_SCHEMA} (indexes and names of tasks)`]),
  ];
}

/** SQL query: when the crontab last started this task. */
export const lastRunSql = (task: string) =>
  `select max(last_execution) from hookwright_jobs._private_known_crontabs where identifier = '${task}'`;

/** The crontab writes the beginnings of minutes that have come. */
const isFutureRunSql = `last_execution > now() + interval '5 minutes'`;

/** SQL query: tasks that the crontab does not start before a time in the future. */
export const futureRunsSql = `
  select identifier from hookwright_jobs._private_known_crontabs where ${isFutureRunSql}`;

export const forgetFutureRunsSql = `
  update hookwright_jobs._private_known_crontabs set last_execution = now() where ${isFutureRunSql}`;
