import type pg from 'pg';
import { query, type Statement } from '../../database/database.js';
import { raisedPrioritySql } from '../../domain/pacing/lanes.js';

const statement: Statement = {
  name: 'call_back_deliveries',
  text: `
    with called as (
      update hookwright_jobs._private_jobs set run_at = now(), priority = ${raisedPrioritySql('priority')}
      where id in (
        select id from hookwright_jobs._private_jobs
        where key = any($1::text[]) and locked_at is null and run_at > now() order by key for update skip locked)
      returning key),
    noticed as (
      select pg_notify('jobs:insert', json_build_object('r', random(), 'count', count(*))::text) as notice
      from called having count(*) > 0)
    select called.key from called left join noticed on true`,
};

/**
 * Lets the jobs of deliveries run now that were put off, before first attempts: a place is kept for each. A job that
 * somebody else has locked is passed over: it runs already, or is being written.
 *
 * @returns the ids of those whose jobs run now
 */
export async function callBackDeliveries(pool: pg.Pool, ids: readonly number[]): Promise<number[]> {
  const rows = await query<{ key: string }>(pool, statement, [ids.map((id) => `d:${id}`)]);
  return rows.map(({ key }) => Number(key.slice('d:'.length)));
}
