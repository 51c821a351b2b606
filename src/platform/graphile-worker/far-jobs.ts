import { ASIDE_SECONDS, hasWorkSql } from './job-conditions.js';

/** graphile-worker makes this pause before it tries a job again (its `failJobs`). */
const backoffSql = `exp(least(j.attempts, 10)) * interval '1 second'`;

/** SQL query: leaps from priority to priority. The index of jobs has their times within each. */
const prioritiesSql = `
  with recursive each(priority) as (
    select min(priority) from hookwright_jobs._private_jobs where is_available
    union all
    select (select min(j.priority) from hookwright_jobs._private_jobs j
            where j.is_available and j.priority > each.priority)
    from each where each.priority is not null)
  select priority from each`;

/**
 * SQL query: jobs with work whose times lie too far ahead.
 *
 * @param pending a query for the deliveries that wait for an attempt
 * @param waitMs a job waits for no longer: a delivery's once its attempt is due, another one from now. A suspect, and a
 *   job that has failed, may wait for longer
 */
export function farJobsSql(pending: string, waitMs: number): string {
  const wait = `interval '1 millisecond' * ${waitMs}`;
  const longest = `greatest(${wait}, interval '1 second' * ${ASIDE_SECONDS}, ${backoffSql})`;
  return `
    select j.id
    from (${prioritiesSql}) known
    join hookwright_jobs._private_jobs j on j.is_available and j.priority = known.priority
    where j.run_at > now() + ${wait} and ${hasWorkSql(pending)}
      and j.run_at > ${longest} + greatest(now(), case when j.key like 'd:%' then (
        select due.due_at from (${pending}) due where due.id = (j.payload->>'id')::bigint) end)`;
}

/** SQL statement: some of these jobs run now. */
export const runFarJobsSql = (pending: string, waitMs: number, rowsMax: number) => `
  update hookwright_jobs._private_jobs set run_at = now()
  where id in (${farJobsSql(pending, waitMs)} limit ${rowsMax})`;
