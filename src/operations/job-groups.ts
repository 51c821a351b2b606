import type pg from 'pg';
import { query, type Statement } from '../database.js';
import { type DeliverGroupPayload, hasNoJobSql } from './enqueue.js';

const splitStatement: Statement = {
  text: `
    select hookwright.enqueue_deliveries(array_agg(d.id), array_agg(1), array_agg(now()), array_agg($3::integer))
    from hookwright.deliveries d
    where d.id = any($2::bigint[]) and d.job_group = $1 and d.status = 'PENDING' and d.attempt_count = 0
      and ${hasNoJobSql('d')}`,
};

/** Gives each of these deliveries that still waits for its first attempt a job of its own instead of the shared one. */
export async function splitJobGroup(
  pool: pg.Pool,
  { group, ids }: DeliverGroupPayload,
  priority: number,
): Promise<void> {
  await query(pool, splitStatement, [group, ids, priority]);
}
