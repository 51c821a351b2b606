import type pg from 'pg';
import {
  bigintArray,
  booleanArray,
  byteaArray,
  doubleArray,
  integerArray,
  textArray,
  timestamptzArray,
} from '../database/array-parameters.js';
import { query, type Statement, transaction } from '../database/database.js';
import { idRange } from '../domain/delivery-id.js';
import { LANES } from '../domain/lanes.js';
import { LATENCY_BUCKETS, latencyBucket } from '../domain/latency.js';
import type { Outcome, SendResult } from '../domain/outcome.js';
import type { DeliveryStatus } from '../entities/delivery.js';
import { needsJobSql } from './enqueue.js';
import type { DueDelivery } from './load-deliveries.js';
import { addStatsSql, STATS_KEY } from './stats-rows.js';
import { tellOutcomes } from './tell-outcomes.js';
import { type DisabledWebhook, lockWebhooks, updateHealth } from './update-health.js';

/** An attempt that has ended, judged, with what is to happen next. */
export interface FinishedAttempt {
  delivery: DueDelivery;
  startedAt: Date;
  requestHeaders: Record<string, string>;
  result: SendResult;
  outcome: Outcome;
  /** Milliseconds until the next attempt, or null when there is none: it succeeded, or this was the last one. */
  retryInMs: number | null;
}

/**
 * Writes what came of attempts: attempt, delivery, webhook health, statistics, the next job and what is to be told of
 * it (`tellOutcomes`), in one transaction.
 * Each is a compare-and-set on the delivery's attempt count, so that recording an attempt twice (a zombie, a lost
 * reply) changes nothing the second time.
 *
 * A delivery that was held or canceled while its request was in flight keeps that state, unless the request
 * succeeded: what the receiver has acknowledged is not sent again. A held one whose last attempt this was has FAILED.
 * If it was also redelivered meanwhile, it starts its new run.
 *
 * @param attempts in the order in which they ended; at most one per delivery
 * @param holdHours how long a webhook that this disables collects events
 * @returns per attempt, the state that its delivery has now, null: it was not recorded; and the webhooks that were
 *   disabled by them
 */
export async function recordAttempts(
  pool: pg.Pool,
  attempts: readonly FinishedAttempt[],
  holdHours: number,
): Promise<{ statuses: RecordedStatus[]; disabled: DisabledWebhook[] }> {
  return await transaction(pool, async (client, withCommit) => {
    const webhookIds = [...new Set(attempts.map(({ delivery }) => delivery.webhookId))];
    // Sent together, answered in order: webhooks are locked before deliveries, as everywhere.
    const locking = lockWebhooks(client, webhookIds);
    locking.catch(() => {});
    const hits = await query<RecordedRow>(client, recordStatement, recordValues(attempts));
    const statusOf = new Map(hits.map(({ id, status }) => [id, status]));
    const counted = attempts.filter(({ delivery }) => statusOf.has(delivery.id));
    const { news, disabled, written } = updateHealth(client, await locking, counted, holdHours);
    withCommit(written);
    if (counted.length > 0) {
      withCommit(query(client, statsStatement, statsValues(counted)));
    }
    const exhausted = counted.filter(({ delivery }) => statusOf.get(delivery.id) === 'FAILED');
    if (news.length > 0 || exhausted.length > 0) {
      await tellOutcomes(client, news, exhausted);
    }
    return { statuses: attempts.map(({ delivery }) => statusOf.get(delivery.id) ?? null), disabled };
  });
}

/** The state of a delivery whose attempt was recorded; null: it was not. */
export type RecordedStatus = `${DeliveryStatus}` | null;

interface RecordedRow {
  id: number;
  status: `${DeliveryStatus}`;
}

const recordStatement: Statement = {
  name: 'record_attempts',
  text: `
    with ended as (
      select * from unnest(
        $1::bigint[], $2::integer[], $3::bigint[], $4::text[], $5::timestamptz[], $6::integer[], $7::integer[],
        $8::text[], $9::text[], $10::text[], $11::bytea[], $12::boolean[], $13::boolean[], $14::double precision[],
        $15::integer[], $16::integer[], $17::integer[], $18::integer[], $21::integer[]
      ) as ended(delivery_id, number, tenant_id, url, started_at, duration_ms, status_code, error_code,
                 request_headers, response_headers, response_body, response_truncated, succeeded, retry_in_ms,
                 dns_ms, connect_ms, tls_ms, first_byte_ms, run)),
    hit as (
      update hookwright.deliveries d
      set attempt_count = e.number,
          attempts_before = case when d.run = e.run then d.attempts_before else e.number end,
          status = case when e.succeeded then 'SUCCEEDED'
                        when e.retry_in_ms is null and d.status <> 'CANCELED'
                          and d.run = e.run then 'FAILED'
                        else d.status end::hookwright.delivery_status,
          cancel_reason = case when not e.succeeded then d.cancel_reason end,
          due_at = case when e.retry_in_ms is null or d.run <> e.run then d.due_at
                        else clock_timestamp() + e.retry_in_ms * interval '1 millisecond' end,
          finished_at = case when e.succeeded or (e.retry_in_ms is null and d.run = e.run)
                             then clock_timestamp() else d.finished_at end,
          last_status_code = e.status_code, last_error_code = e.error_code
      from ended e
      where d.id = e.delivery_id and d.id = any($1::bigint[]) and d.id between $19::bigint and $20::bigint
        and (d.tenant_id = e.tenant_id) is true
        and d.attempt_count = e.number - 1 and (d.status in ('PENDING', 'HELD', 'CANCELED')) is true
      returning d.id, d.status, d.attempt_count, d.due_at),
    logged as (
      insert into hookwright.attempts (delivery_id, number, tenant_id, url, started_at, duration_ms, status_code,
        error_code, request_headers, response_headers, response_body, response_truncated,
        dns_ms, connect_ms, tls_ms, first_byte_ms)
      select e.delivery_id, e.number, e.tenant_id, e.url, e.started_at, e.duration_ms, e.status_code, e.error_code,
        e.request_headers, e.response_headers, e.response_body, e.response_truncated,
        e.dns_ms, e.connect_ms, e.tls_ms, e.first_byte_ms
      from hit join ended e on e.delivery_id = hit.id),
    queued as (
      select hookwright.enqueue_deliveries(array_agg(id), array_agg(attempt_count + 1), array_agg(due_at),
               array_agg(${LANES.RETRY.priority}))
      from hit where status = 'PENDING' and ${needsJobSql('due_at')})
    select hit.id, hit.status from hit, queued`,
};

function recordValues(attempts: readonly FinishedAttempt[]): unknown[] {
  const each = <T>(value: (attempt: FinishedAttempt) => T) => attempts.map(value);
  const response = ({ result }: FinishedAttempt) => (result.kind === 'response' ? result : null);
  return [
    bigintArray(each(({ delivery }) => delivery.id)),
    integerArray(each(({ delivery }) => delivery.attemptNumber)),
    bigintArray(each(({ delivery }) => delivery.tenantId)),
    textArray(each(({ delivery }) => delivery.url)),
    timestamptzArray(each(({ startedAt }) => startedAt)),
    integerArray(each(({ result }) => Math.round(result.durationMs))),
    integerArray(each((attempt) => response(attempt)?.statusCode)),
    textArray(each(({ outcome }) => (outcome.verdict === 'SUCCEEDED' ? null : outcome.errorCode))),
    textArray(each(({ requestHeaders }) => JSON.stringify(requestHeaders))),
    textArray(each((attempt) => response(attempt) && JSON.stringify(response(attempt)?.headers))),
    byteaArray(each((attempt) => response(attempt)?.body)),
    booleanArray(each((attempt) => response(attempt)?.bodyTruncated ?? false)),
    booleanArray(each(({ outcome }) => outcome.verdict === 'SUCCEEDED')),
    doubleArray(each(({ retryInMs }) => retryInMs)),
    integerArray(each(({ result }) => result.timing?.dnsMs)),
    integerArray(each(({ result }) => result.timing?.connectMs)),
    integerArray(each(({ result }) => result.timing?.tlsMs)),
    integerArray(each(({ result }) => result.timing?.firstByteMs)),
    ...idRange(each(({ delivery }) => delivery.id)),
    integerArray(each(({ delivery }) => delivery.run)),
  ];
}

/** The webhook's row is locked already, so two batches cannot meet on a row of its statistics. */
const statsStatement: Statement = {
  name: 'count_attempts',
  text: `
    insert into hookwright.delivery_stats as s (${STATS_KEY}, successes, failures, latency_histogram)
    select tenant_id, webhook_id, event_type, 'MINUTE', date_trunc('minute', clock_timestamp()), successes, failures,
           histogram::integer[]
    from unnest($1::bigint[], $2::bigint[], $3::text[], $4::integer[], $5::integer[], $6::text[])
           as counts(tenant_id, webhook_id, event_type, successes, failures, histogram)
    ${addStatsSql}`,
};

function statsValues(counted: readonly FinishedAttempt[]): unknown[] {
  const groups = Map.groupBy(counted, ({ delivery }) => `${delivery.webhookId} ${delivery.eventType}`);
  const counts = [...groups.values()].map((attempts) => {
    const histogram = new Array<number>(LATENCY_BUCKETS).fill(0);
    for (const { result } of attempts) {
      const bucket = latencyBucket(result.durationMs);
      histogram[bucket] = (histogram[bucket] ?? 0) + 1;
    }
    const successes = attempts.filter(({ outcome }) => outcome.verdict === 'SUCCEEDED').length;
    return { delivery: attempts[0]!.delivery, successes, failures: attempts.length - successes, histogram };
  });
  return [
    bigintArray(counts.map(({ delivery }) => delivery.tenantId)),
    bigintArray(counts.map(({ delivery }) => delivery.webhookId)),
    textArray(counts.map(({ delivery }) => delivery.eventType)),
    integerArray(counts.map(({ successes }) => successes)),
    integerArray(counts.map(({ failures }) => failures)),
    textArray(counts.map(({ histogram }) => `{${histogram.join(',')}}`)),
  ];
}
