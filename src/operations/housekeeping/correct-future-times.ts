import type pg from 'pg';
import { query, type Statement } from '../../platform/database/database.js';
import { FURTHEST_MINUTES, lockFreeJobsSql, prioritySql } from '../../platform/graphile-worker/job-conditions.js';

const CHUNK_ROWS = 10_000;

const farSql = (time: string) => `${time} > now() + ${FURTHEST_MINUTES} * interval '1 minute'`;

const correctStatement: Statement = {
  text: `
    with opened as (
      update hookwright.webhooks set closed_until = null
      where id in (
        select id from hookwright.webhooks where ${farSql('closed_until')} for no key update skip locked)),
    far as materialized (
      select d.id from hookwright.deliveries d where d.status = 'PENDING' and ${farSql('d.due_at')}
      order by d.due_at limit ${CHUNK_ROWS}),
    locked as materialized (
      select d.id from hookwright.deliveries d where d.id in (select id from far) order by d.id
      for update skip locked),
    ${lockFreeJobsSql(`array(select 'd:' || id from locked)`)},
    due as (
      update hookwright.deliveries d set due_at = now() from locked
      where d.id = locked.id and d.status = 'PENDING' and ${farSql('d.due_at')}
        and 'd:' || d.id not in (select key from locked_job)
      returning d.id, d.attempt_count)
    select count(*)::integer as corrected,
           hookwright.enqueue_deliveries(array_agg(id order by id), array_agg(attempt_count + 1 order by id),
             array_agg(now()), array_agg(${prioritySql('attempt_count')} order by id))
    from due`,
};

/**
 * Corrects times that the database's clock has left while it was ahead: deliveries become due now, and endpoints are
 * opened. Locked rows are left for a later call.
 *
 * @returns how many deliveries were corrected; others may be left for the next call
 */
export async function correctFutureTimes(pool: pg.Pool): Promise<number> {
  const [row] = await query<{ corrected: number }>(pool, correctStatement, []);
  return row?.corrected ?? 0;
}
