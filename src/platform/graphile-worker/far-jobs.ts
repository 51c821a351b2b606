import { ASIDE_SECONDS, hasWorkSql } from './job-conditions.js';

/** graphile-worker makes this pause before it tries a job again (its `failJobs`). */
const backoffSql = `exp(least(j.attempts, 10)) * interval '1 second'`;

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
    select j.id from hookwright_jobs._private_jobs j
    where j.run_at > now() + ${wait} and ${hasWorkSql(pending)}
      and j.run_at > ${longest} + greatest(now(), case when j.key like 'd:%' then (
        select due.due_at from (${pending}) due where due.id = (j.payload->>'id')::bigint) end)`;
}

/** SQL statement: some of these jobs run now. */
export const runFarJobsSql = (pending: string, waitMs: number, rowsMax: number) => `
  update hookwright_jobs._private_jobs set run_at = now()
  where id in (${farJobsSql(pending, waitMs)} limit ${rowsMax})`;
