import type pg from 'pg';
import { query, type Statement } from '../../database/database.js';
import type { Raise } from '../../domain/pacing/lanes.js';

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

/** Gives the jobs of a lane that have waited longest another priority: those of this many deliveries. */
export async function raiseWaitingJobs(pool: pg.Pool, { from, to, count }: Raise, waitedMs: number): Promise<void> {
  await query(pool, raiseStatement, [from, to, count, waitedMs]);
}
