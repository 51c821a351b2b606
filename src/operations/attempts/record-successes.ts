import type pg from 'pg';
import { idRange } from '../../domain/ids/delivery-id.js';
import { LATENCY_BUCKETS, latencyBucket } from '../../domain/stats/latency.js';
import { query, type Statement } from '../../platform/database/database.js';
import { bigintArray, type Column, column, RowsParameter } from '../../platform/database/rows-parameter.js';
import { beginWoken, type WakesHere, type WokenJson } from '../ordering/turns.js';
import { addStatsSql, STATS_KEY } from '../stats/stats-rows.js';
import { attemptColumns, logAttemptsSql } from './attempt-columns.js';
import type { FinishedAttempt } from './finished-attempt.js';

const columns: Readonly<Record<string, Column<FinishedAttempt>>> = {
  ...attemptColumns,
  run: column.integer(({ delivery }) => delivery.run),
  webhook_id: column.bigint(({ delivery }) => delivery.webhookId),
  event_type: column.text(({ delivery }) => delivery.eventType),
  ended_ago_ms: column.double(({ endedAtMs }) => performance.now() - endedAtMs),
  bucket: column.integer(({ result }) => latencyBucket(result.durationMs)),
};
/** After the range of the deliveries' ids and how long a lock is waited for. */
const endedRows = new RowsParameter(columns, { after: 3 });
/** The same after the ordered ones, a worker pool, and how many of those that they wake it takes. */
const endedOrderedRows = new RowsParameter(columns, { after: 6 });

/** `quiet` locks the webhooks in the order of ids; as an array, all of them before the first delivery is locked. */
const recordSql = (ended: RowsParameter<FinishedAttempt>) => `
    with ended as (select * from ${ended.as('ended')}),
    quiet as materialized (
      select id from hookwright.webhooks
      where id = any(${ended.array('webhook_id')}) and consecutive_failures = 0 and failed_at is null
        and (select set_config('lock_timeout', $3, true)) is not null
      order by id for update),
    hit as (
      update hookwright.deliveries d
      set attempt_count = e.number,
          attempts_before = case when d.run = e.run then d.attempts_before else e.number end,
          status = 'SUCCEEDED', cancel_reason = null, finished_at = clock_timestamp(),
          last_status_code = e.status_code, last_error_code = null
      from ended e
      where e.webhook_id = any(array(select id from quiet))
        and d.id = e.delivery_id and d.id = any(${ended.array('delivery_id')})
        and d.id between $1::bigint and $2::bigint
        and (d.tenant_id = e.tenant_id) is true
        and d.attempt_count = e.number - 1 and (d.status in ('PENDING', 'HELD', 'CANCELED')) is true
      returning d.id, d.erased),
    logged as (${logAttemptsSql}),
    healthy as (
      update hookwright.webhooks w
      set last_success_at = greatest(w.last_success_at, clock_timestamp() - latest.ago_ms * interval '1 millisecond')
      from (select e.webhook_id, min(e.ended_ago_ms) as ago_ms
            from hit join ended e on e.delivery_id = hit.id group by e.webhook_id) latest
      where w.id = latest.webhook_id),
    counted as (
      insert into hookwright.delivery_stats as s (${STATS_KEY}, successes, failures, latency_histogram)
      select tenant_id, webhook_id, event_type, 'MINUTE', date_trunc('minute', clock_timestamp()), cardinality(buckets), 0,
             array(select cardinality(array_positions(buckets, bucket))
                   from generate_series(0, ${LATENCY_BUCKETS - 1}) bucket order by bucket)
      from (select e.tenant_id, e.webhook_id, e.event_type, array_agg(e.bucket) as buckets
            from hit join ended e on e.delivery_id = hit.id
            group by e.tenant_id, e.webhook_id, e.event_type) grouped
      ${addStatsSql})`;

const recordStatement: Statement = { name: 'record_successes', text: `${recordSql(endedRows)} select id from hit` };

/** Wakes the next ones of their keys, too. */
const recordOrderedStatement: Statement = {
  name: 'record_ordered_successes',
  text: `${recordSql(endedOrderedRows)},
    turns as (
      select hookwright.end_turns(array_agg(e.tenant_id), array_agg(hit.id), null, $5::text, $6::integer) as woken
      from hit join ended e on e.delivery_id = hit.id where hit.id = any($4::bigint[]) having count(*) > 0)
    select id, (select woken from turns) as woken from hit`,
};

/**
 * Records attempts that succeeded, in one statement. A webhook without a failure in a row that has raised no
 * `webhook.disabled` keeps its health (`foldHealth`), but for the time of its last success: nothing is read first.
 *
 * @param attempts successes, at most one per delivery
 * @param wakesHere where the next ones of their keys are sent; null: by any daemon
 * @returns the ids of the deliveries whose attempts are recorded; the others are for `recordAttempts`
 * @throws Error with LOCK_NOT_AVAILABLE after `lockWaitMs`
 */
export async function recordSuccesses(
  pool: pg.Pool,
  attempts: readonly FinishedAttempt[],
  lockWaitMs: number,
  wakesHere: WakesHere | null = null,
): Promise<Set<number>> {
  const limits = [...idRange(attempts.map(({ delivery }) => delivery.id)), `${lockWaitMs} ms`];
  const ordered = attempts.filter(({ delivery }) => delivery.isOrdered).map(({ delivery }) => delivery.id);
  if (ordered.length === 0) {
    const rows = await query<{ id: number }>(pool, recordStatement, [...limits, ...endedRows.values(attempts)]);
    return new Set(rows.map(({ id }) => id));
  }
  const rows = await query<{ id: number; woken: WokenJson }>(pool, recordOrderedStatement, [
    ...limits,
    bigintArray(ordered),
    wakesHere?.workerPoolId ?? null,
    wakesHere?.jobsMax ?? 0,
    ...endedOrderedRows.values(attempts),
  ]);
  beginWoken(wakesHere, rows[0]?.woken ?? null);
  return new Set(rows.map(({ id }) => id));
}
