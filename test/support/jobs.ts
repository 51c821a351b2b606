import type pg from 'pg';
import { type Locking, lockRows } from './locks.js';

/** graphile-worker's private tables, for tests. No other test names them (contract.test.ts). */
export const JOBS_TABLE = 'hookwright_jobs._private_jobs';

/** graphile-worker's tables with few rows. */
export const SMALL_JOB_TABLES = ['_private_job_queues', '_private_known_crontabs'];

/** A stack, a site or a session of Postgres. */
type Sql = { rows(sql: string): Promise<object[]> } | Pick<pg.ClientBase, 'query'>;

interface Job {
  id: number;
  key: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: each task has a payload of its own
  payload: any;
  priority: number;
  /** How often it was fetched. */
  attempts: number;
  last_error: string | null;
  locked_by: string | null;
  is_available: boolean;
  run_at: Date;
  /** How many seconds from now it runs; 0 or less: it is due. */
  inSeconds: number;
  /** Seconds since it was locked. */
  lockedSeconds: number | null;
}

/** SQL conditions: which jobs. */
export const OF_DELIVERIES = `key ~ '^[dg]:'`;
export const ofDelivery = (id: number) => `key = 'd:${id}'`;
export const OF_WEBHOOKS = `key like 'w:%'`;
export const ofWebhook = (id: number) => `key = 'w:${id}'`;
export const OF_BULK = `key like 'b:%'`;

async function run<Row>(on: Sql, sql: string): Promise<Row[]> {
  return ('rows' in on ? await on.rows(sql) : (await on.query(sql)).rows) as Row[];
}

export const jobsIn = (on: Sql, where = 'true') =>
  run<Job>(
    on,
    `select *, extract(epoch from run_at - clock_timestamp())::float8 as "inSeconds",
            extract(epoch from clock_timestamp() - locked_at)::float8 as "lockedSeconds"
     from ${JOBS_TABLE} where ${where} order by id`,
  );

export const countJobs = async (on: Sql, where?: string) => (await jobsIn(on, where)).length;

/** @param changes as SQL: `column = value, …` */
export const changeJobs = (on: Sql, changes: string, where = 'true') =>
  run<Job>(on, `update ${JOBS_TABLE} set ${changes} where ${where} returning *`);

export const deleteJobs = (on: Sql, where = 'true') =>
  run<Job>(on, `delete from ${JOBS_TABLE} where ${where} returning *`);

/** Locks jobs for a worker pool, as its fetch does. */
export const fetchJobs = (on: Sql, poolId: string, where?: string) =>
  changeJobs(on, `locked_by = '${poolId}', locked_at = now(), attempts = attempts + 1`, where);

/** Another session locks the rows of jobs. */
export const lockJobRows = (databaseUrl: string, where: string): Promise<Locking> =>
  lockRows(databaseUrl, JOBS_TABLE, where);

/** The deliveries that jobs name, each with a job of its own or in a group. */
export const deliveriesOf = (jobs: readonly Pick<Job, 'payload' | 'priority'>[]) =>
  jobs.flatMap(({ payload, priority }) =>
    ((payload.ids ?? [payload.id]) as number[]).map((id) => ({ id: Number(id), priority })),
  );

export const isTaskKnown = async (on: Sql, task: string) =>
  (await run(on, `select from hookwright_jobs._private_tasks where identifier = '${task}'`)).length === 1;

/** Locks a queue of jobs, of which the product has none, for a worker pool. */
export const lockJobQueue = (on: Sql, poolId: string) =>
  run(
    on,
    `insert into hookwright_jobs._private_job_queues (queue_name, locked_by, locked_at) values ('q', '${poolId}', now())`,
  );

export const isJobQueueFree = async (on: Sql) =>
  (await run(on, 'select from hookwright_jobs._private_job_queues where locked_by is null')).length === 1;

/** Has the crontab's housekeeping last started at this time. @param at as SQL */
export const housekeepingStarted = (on: Sql, at: string) =>
  run(
    on,
    `insert into hookwright_jobs._private_known_crontabs (identifier, known_since, last_execution)
     values ('housekeeping', now() - interval '40 days', ${at})
     on conflict (identifier) do update set last_execution = excluded.last_execution`,
  );

/** Whether the crontab knows a duty. */
export const isKnownDuty = async (on: Sql, name: string) =>
  (await run(on, `select from hookwright_jobs._private_known_crontabs where identifier = '${name}'`)).length === 1;

/** Whether it has started within the last hour, and has ended. */
export const isHousekeepingDone = async (on: Sql) =>
  (
    await run(
      on,
      `select from hookwright_jobs._private_known_crontabs c
       where c.identifier = 'housekeeping' and (c.last_execution < now() - interval '61 minutes'
         or exists (select from hookwright_jobs.jobs where task_identifier = 'housekeeping'))`,
    )
  ).length === 0;

/** Adds a number to the ids of deliveries that jobs name, in those of 0.1.0. */
export async function moveIdsOfJobs(client: pg.ClientBase, by: string): Promise<void> {
  await client.query(`
    update hookwright_jobs._private_jobs
    set key = left(key, 2) || (substr(key, 3)::bigint + ${by}),
        payload = payload::jsonb || case
          when payload::jsonb ? 'attempt' then jsonb_build_object('id', (payload->>'id')::bigint + ${by})
          else jsonb_build_object(
            'group', (payload->>'group')::bigint + ${by},
            'ids', (select jsonb_agg(each.value::bigint + ${by}) from json_array_elements_text(payload->'ids') as each))
        end
    where payload::jsonb ?| array['attempt', 'ids']`);
}

/** The jobs that a worker pool has locked fail, as graphile-worker's `failJobs` writes it (far-jobs.ts). */
export const failJobs = (on: Sql, poolId: string, error: string) =>
  changeJobs(
    on,
    `last_error = '${error}', run_at = greatest(now(), run_at) + exp(least(attempts, 10)) * interval '1 second',
     locked_by = null, locked_at = null`,
    `locked_by = '${poolId}'`,
  );

/** Adds a job of a tenant that a worker has in hand. @returns what ends it */
export async function jobInHand(on: Sql, tenantId: number): Promise<() => Promise<void>> {
  await run(
    on,
    `insert into ${JOBS_TABLE} (task_id, payload, key, locked_at, locked_by)
     select t.id, json_build_object('tenantId', ${tenantId}), 'in hand ${tenantId}', now(), 'a worker'
     from hookwright_jobs._private_tasks t where t.identifier = 'deliver'`,
  );
  return async () => void (await deleteJobs(on, `key = 'in hand ${tenantId}'`));
}
