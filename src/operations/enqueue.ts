import { Logger } from 'graphile-worker';
import type pg from 'pg';

/**
 * The only file that names graphile-worker's SQL (with the function `hookwright.enqueue_deliveries`, which adds the
 * delivery jobs). A job is a hint; the rows are the truth.
 */

/** graphile-worker logs each job by default, which costs more than running it. */
export const quietLogger = new Logger(() => () => {});

/** Names of the tasks, as the daemon registers them. */
export const DELIVER_TASK = 'deliver';
export const SETTLE_TASK = 'settle-webhook';

export interface DeliverPayload {
  id: number;
  attempt: number;
}

export interface SettlePayload {
  webhookId: number;
  tenantId: number;
}

/**
 * graphile-worker's own indexes start with `priority`, so that with a million scheduled retries each fetch read all
 * of them (115 ms measured). With this one a fetch reads what is due.
 */
export async function indexJobsByTime(client: pg.ClientBase): Promise<void> {
  await client.query(
    `create index if not exists hookwright_jobs_by_time on graphile_worker._private_jobs (run_at, priority)
     where is_available`,
  );
}

/** SQL that adds a job which brings a webhook's deliveries in line with the webhook. One such job waits per webhook. */
export const enqueueSettleSql = (webhookId: string, tenantId: string) =>
  `graphile_worker.add_job('${SETTLE_TASK}', json_build_object('webhookId', ${webhookId}, 'tenantId', ${tenantId}),
     job_key := 'w:' || ${webhookId})`;

/**
 * SQL condition: no job will bring this delivery up again by itself. A job that has been locked for longer than any
 * attempt takes belongs to a dead worker, or to none: a lost reply to a fetch strands jobs under a live one.
 */
export const hasNoLiveJobSql = (deliveryId: string, lockedSeconds: string) =>
  `not exists (
     select from graphile_worker._private_jobs j
     where j.key = 'd:' || ${deliveryId}
       and j.attempts < j.max_attempts
       and (j.locked_at is null or j.locked_at > now() - ${lockedSeconds} * interval '1 second'))`;

/** Deletes the jobs that graphile-worker will never run again: replaced ones and those of crashed processes. */
export const deleteDeadJobsSql =
  'delete from graphile_worker._private_jobs where attempts >= max_attempts and locked_at is null and key is null';

/** Frees the jobs that ended worker pools had locked, and wakes the living ones. */
export async function unlockJobsOf(pool: pg.Pool, poolIds: readonly string[]): Promise<void> {
  if (poolIds.length > 0) {
    await pool.query('select graphile_worker.force_unlock_workers($1::text[])', [poolIds]);
  }
}
