import type pg from 'pg';
import { query, type Statement, transaction } from '../database.js';
import { foldHealth, type HealthStep, type HealthVerdict } from '../domain/health.js';
import { LANES } from '../domain/lanes.js';
import { LATENCY_BUCKETS, latencyBucket } from '../domain/latency.js';
import type { Outcome, SendResult } from '../domain/outcome.js';
import { enqueueSettleSql, needsJobSql } from './enqueue.js';
import { type DueDelivery, idRange } from './load-deliveries.js';

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

interface LockedWebhook {
  id: number;
  tenant_id: number;
  active: boolean;
  generation: number;
  consecutive_failures: number;
}

/**
 * Writes what came of attempts: attempt, delivery, webhook health, statistics and the next job, in one transaction.
 * Each is a compare-and-set on the delivery's attempt count, so that recording an attempt twice (a zombie, a lost
 * reply) changes nothing the second time.
 *
 * A delivery that was held or canceled while its request was in flight keeps that state, unless the request
 * succeeded: what the receiver has acknowledged is not sent again.
 *
 * @param attempts in the order in which they ended; at most one per delivery
 * @param holdHours how long a webhook that this disables collects events
 * @returns per attempt, whether it was recorded now
 */
export async function recordAttempts(
  pool: pg.Pool,
  attempts: readonly FinishedAttempt[],
  holdHours: number,
): Promise<boolean[]> {
  return await transaction(pool, async (client, withCommit) => {
    const webhookIds = [...new Set(attempts.map(({ delivery }) => delivery.webhookId))];
    // Sent together, answered in order: webhooks are locked before deliveries, as everywhere.
    const locking = query<LockedWebhook>(client, lockStatement, [webhookIds]);
    locking.catch(() => {});
    const hits = await query<{ id: number }>(client, recordStatement, recordValues(attempts));
    const recorded = new Set(hits.map(({ id }) => id));
    const counted = attempts.filter(({ delivery }) => recorded.has(delivery.id));
    withCommit(updateHealth(client, await locking, counted, holdHours));
    if (counted.length > 0) {
      withCommit(query(client, statsStatement, statsValues(counted)));
    }
    return attempts.map(({ delivery }) => recorded.has(delivery.id));
  });
}

const lockStatement: Statement = {
  name: 'lock_webhooks',
  text: `
    select id, tenant_id, active, generation, consecutive_failures from hookwright.webhooks
    where id = any($1::bigint[]) order by id for update`,
};

const recordStatement: Statement = {
  name: 'record_attempts',
  text: `
    with ended as (
      select * from unnest(
        $1::bigint[], $2::integer[], $3::bigint[], $4::text[], $5::timestamptz[], $6::integer[], $7::integer[],
        $8::text[], $9::text[], $10::text[], $11::bytea[], $12::boolean[], $13::boolean[], $14::double precision[]
      ) as ended(delivery_id, number, tenant_id, url, started_at, duration_ms, status_code, error_code,
                 request_headers, response_headers, response_body, response_truncated, succeeded, retry_in_ms)),
    hit as (
      update hookwright.deliveries d
      set attempt_count = e.number,
          status = case when e.succeeded then 'SUCCEEDED'
                        when e.retry_in_ms is null and d.status <> 'CANCELED' then 'FAILED'
                        else d.status end::hookwright.delivery_status,
          cancel_reason = case when not e.succeeded then d.cancel_reason end,
          due_at = case when e.retry_in_ms is null then d.due_at
                        else clock_timestamp() + e.retry_in_ms * interval '1 millisecond' end,
          finished_at = case when e.retry_in_ms is null then clock_timestamp() else d.finished_at end,
          last_status_code = e.status_code, last_error_code = e.error_code
      from ended e
      where d.id = e.delivery_id and d.id = any($1::bigint[]) and d.id between $15::bigint and $16::bigint and (d.tenant_id = e.tenant_id) is true
        and d.attempt_count = e.number - 1 and (d.status in ('PENDING', 'HELD', 'CANCELED')) is true
      returning d.id, d.status, d.attempt_count, d.due_at),
    logged as (
      insert into hookwright.attempts (delivery_id, number, tenant_id, url, started_at, duration_ms, status_code,
        error_code, request_headers, response_headers, response_body, response_truncated)
      select e.delivery_id, e.number, e.tenant_id, e.url, e.started_at, e.duration_ms, e.status_code, e.error_code,
        e.request_headers, e.response_headers, e.response_body, e.response_truncated
      from hit join ended e on e.delivery_id = hit.id),
    queued as (
      select hookwright.enqueue_deliveries(array_agg(id), array_agg(attempt_count + 1), array_agg(due_at),
               array_agg(${LANES.RETRY.priority}))
      from hit where status = 'PENDING' and ${needsJobSql('due_at')})
    select hit.id from hit, queued`,
};

function recordValues(attempts: readonly FinishedAttempt[]): unknown[] {
  const column = <T>(value: (attempt: FinishedAttempt) => T) => attempts.map(value);
  const response = ({ result }: FinishedAttempt) => (result.kind === 'response' ? result : null);
  return [
    column(({ delivery }) => delivery.id),
    column(({ delivery }) => delivery.attemptNumber),
    column(({ delivery }) => delivery.tenantId),
    column(({ delivery }) => delivery.url),
    column(({ startedAt }) => startedAt),
    column(({ result }) => Math.round(result.durationMs)),
    column((attempt) => response(attempt)?.statusCode ?? null),
    column(({ outcome }) => (outcome.verdict === 'SUCCEEDED' ? null : outcome.errorCode)),
    column(({ requestHeaders }) => JSON.stringify(requestHeaders)),
    column((attempt) => (response(attempt) ? JSON.stringify(response(attempt)?.headers) : null)),
    column((attempt) => response(attempt)?.body ?? null),
    column((attempt) => response(attempt)?.bodyTruncated ?? false),
    column(({ outcome }) => outcome.verdict === 'SUCCEEDED'),
    column(({ retryInMs }) => retryInMs),
    ...idRange(attempts.map(({ delivery }) => delivery.id)),
  ];
}

const endedAt = ({ startedAt, result }: FinishedAttempt) => new Date(startedAt.getTime() + result.durationMs);

const healthStatement: Statement = {
  name: 'update_health',
  text: `
    update hookwright.webhooks w
    set consecutive_failures = h.consecutive_failures,
        last_success_at = greatest(w.last_success_at, h.last_success_at),
        last_failure_at = greatest(w.last_failure_at, h.last_failure_at),
        closed_until = case when h.close_ms is null then w.closed_until
          else greatest(w.closed_until, clock_timestamp() + h.close_ms * interval '1 millisecond') end,
        active = w.active and h.disable is null,
        generation = w.generation + (h.disable is not null)::integer,
        disabled_at = case when h.disable is null then w.disabled_at else clock_timestamp() end,
        disabled_reason = coalesce(h.disable, w.disabled_reason),
        hold_until = case when h.disable is null then w.hold_until
          else clock_timestamp() + $8 * interval '1 hour' end
    from unnest($1::bigint[], $2::bigint[], $3::integer[], $4::hookwright.disabled_reason[], $5::timestamptz[],
                $6::timestamptz[], $7::double precision[])
           as h(id, tenant_id, consecutive_failures, disable, last_success_at, last_failure_at, close_ms)
    where w.id = h.id and w.tenant_id = h.tenant_id`,
};

const settleStatement: Statement = {
  name: 'settle_webhooks',
  text: `select ${enqueueSettleSql('id', 'tenant_id')}
         from unnest($1::bigint[], $2::bigint[]) as disabled(id, tenant_id)`,
};

async function updateHealth(
  client: pg.PoolClient,
  webhooks: readonly LockedWebhook[],
  counted: readonly FinishedAttempt[],
  holdHours: number,
): Promise<void> {
  const byWebhook = Map.groupBy(counted, ({ delivery }) => delivery.webhookId);
  const touched = webhooks
    .filter(({ id }) => byWebhook.has(id))
    .map((webhook) => ({ webhook, ...newHealth(webhook, byWebhook.get(webhook.id) ?? []) }));
  if (touched.length === 0) {
    return;
  }
  const updated = query(client, healthStatement, [
    touched.map(({ webhook }) => webhook.id),
    touched.map(({ webhook }) => webhook.tenant_id),
    touched.map(({ verdict }) => verdict.consecutiveFailures),
    touched.map(({ verdict }) => verdict.disable),
    touched.map(({ lastSuccessAt }) => lastSuccessAt),
    touched.map(({ lastFailureAt }) => lastFailureAt),
    touched.map(({ closeMs }) => closeMs),
    holdHours,
  ]);
  const disabled = touched.filter(({ verdict }) => verdict.disable !== null).map(({ webhook }) => webhook);
  const settled =
    disabled.length > 0
      ? query(client, settleStatement, [
          disabled.map(({ id }) => id),
          disabled.map(({ tenant_id }) => tenant_id),
        ])
      : undefined;
  await Promise.all([updated, settled]);
}

interface Health {
  verdict: HealthVerdict;
  lastSuccessAt: Date | null;
  lastFailureAt: Date | null;
  closeMs: number | null;
}

function newHealth(webhook: LockedWebhook, attempts: readonly FinishedAttempt[]): Health {
  // One that was written late, because the database was away, may stand behind others that finished after it.
  const inOrder = attempts.toSorted((a, b) => endedAt(a).getTime() - endedAt(b).getTime());
  const steps: HealthStep[] = inOrder.map(({ delivery, outcome }) => ({
    generation: delivery.generation,
    verdict: outcome.verdict,
  }));
  const state = {
    active: webhook.active,
    generation: webhook.generation,
    consecutiveFailures: webhook.consecutive_failures,
  };
  const latest = (wanted: readonly FinishedAttempt[]) =>
    wanted.length === 0 ? null : new Date(Math.max(...wanted.map((attempt) => endedAt(attempt).getTime())));
  const closings = attempts.flatMap(({ outcome }) =>
    outcome.verdict === 'FAILED' && outcome.closeMs !== null ? [outcome.closeMs] : [],
  );
  return {
    verdict: foldHealth(state, steps),
    lastSuccessAt: latest(attempts.filter(({ outcome }) => outcome.verdict === 'SUCCEEDED')),
    lastFailureAt: latest(attempts.filter(({ outcome }) => outcome.verdict !== 'SUCCEEDED')),
    closeMs: closings.length > 0 ? Math.max(...closings) : null,
  };
}

/** The webhook's row is locked already, so two batches cannot meet on a row of its statistics. */
const statsStatement: Statement = {
  name: 'count_attempts',
  text: `
    insert into hookwright.delivery_stats as s
      (tenant_id, webhook_id, event_type, resolution, bucket, successes, failures, latency_histogram)
    select tenant_id, webhook_id, event_type, 'MINUTE', date_trunc('minute', clock_timestamp()), successes, failures,
           histogram::integer[]
    from unnest($1::bigint[], $2::bigint[], $3::text[], $4::integer[], $5::integer[], $6::text[])
           as counts(tenant_id, webhook_id, event_type, successes, failures, histogram)
    on conflict (webhook_id, resolution, bucket, event_type) do update
    set successes = s.successes + excluded.successes,
        failures = s.failures + excluded.failures,
        latency_histogram = hookwright.add_histograms(s.latency_histogram, excluded.latency_histogram)`,
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
    counts.map(({ delivery }) => delivery.tenantId),
    counts.map(({ delivery }) => delivery.webhookId),
    counts.map(({ delivery }) => delivery.eventType),
    counts.map(({ successes }) => successes),
    counts.map(({ failures }) => failures),
    counts.map(({ histogram }) => `{${histogram.join(',')}}`),
  ];
}
