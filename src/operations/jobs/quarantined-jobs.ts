import type pg from 'pg';
import { query, type Statement } from '../../database/database.js';
import { impatientTransaction } from '../../database/impatient-transaction.js';
import { hasNoJobSql } from '../../graphile-worker/job-conditions.js';
import type { DeliverGroupPayload, DeliverPayload } from './tasks.js';

/** All suspects wait for it. */
const LOCK_WAIT_MS = 100;

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

const asideStatement: Statement = {
  text: `select hookwright.set_job_aside($1, $2, $3, now() + $4 * interval '1 second', $5)`,
};

/**
 * Puts a delivery's job aside while it is being run: another one of its key, due later, takes its place. Should the
 * process die of it, that one is left; should an outcome be recorded, the job of the next attempt replaces that one.
 * Unlike any other job that is added, it remembers how often it was fetched.
 *
 * @param jobId the job that is being run; when another has taken its key already, nothing is done. Null: whichever job
 *   has it
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
