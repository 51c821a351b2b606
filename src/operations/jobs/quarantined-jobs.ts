import type pg from 'pg';
import { query, type Statement } from '../../platform/database/database.js';
import { impatientTransaction } from '../../platform/database/impatient-transaction.js';
import { hasNoJobSql } from '../../platform/graphile-worker/job-conditions.js';
import type { DeliverGroupPayload, DeliverPayload } from './tasks.js';

/** All other suspects wait meanwhile. */
const LOCK_WAIT_MS = 100;

const splitStatement: Statement = {
  name: 'split_job_group',
  text: `
    select hookwright.enqueue_deliveries(array_agg(d.id), array_agg(1), array_agg(now()), array_agg($3::integer))
    from hookwright.deliveries d
    where d.id = any($2::bigint[]) and d.job_group = $1 and d.status = 'PENDING' and d.attempt_count = 0
      and ${hasNoJobSql('d')}`,
};

/** Each delivery of a shared job that still waits for its first attempt gets a job of its own. */
export async function splitJobGroup(
  pool: pg.Pool,
  { group, ids }: DeliverGroupPayload,
  priority: number,
): Promise<void> {
  await query(pool, splitStatement, [group, ids, priority]);
}

const asideStatement: Statement = {
  name: 'set_job_aside',
  text: `select hookwright.set_job_aside($1, $2, $3, now() + $4 * interval '1 second', $5)`,
};

/**
 * Puts a delivery's job aside while it is running: another job of its key, due later, takes its place. If the process
 * dies, that job is left; if an outcome is recorded, the job of the next attempt replaces it.
 *
 * @param jobId the running job; when another job has taken its key, nothing is done. Null: any job that has the key
 * @throws Error with LOCK_NOT_AVAILABLE, when another session has the job's row locked
 */
export async function setJobAside(
  pool: pg.Pool,
  jobId: string | null,
  { id, attempt }: DeliverPayload,
  { seconds, fetches }: { seconds: number; fetches: number },
): Promise<void> {
  await impatientTransaction(pool, LOCK_WAIT_MS, (client) =>
    query(client, asideStatement, [id, attempt, jobId, seconds, fetches]),
  );
}
