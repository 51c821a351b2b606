import type pg from 'pg';
import { reasonOf } from '../../domain/stats/failure-reason.js';
import { LATENCY_BUCKETS, latencyBucket } from '../../domain/stats/latency.js';
import { query, type Statement } from '../../platform/database/database.js';
import { column, RowsParameter } from '../../platform/database/rows-parameter.js';
import { addStatsSql, STATS_KEY } from '../stats/stats-rows.js';
import { type FinishedAttempt, hasFailed } from './finished-attempt.js';
import type { DueDelivery } from './load-deliveries.js';

/** The counts that attempts add to one row of the statistics. */
interface Counts {
  delivery: DueDelivery;
  successes: number;
  failures: number;
  histogram: readonly number[];
}

const counts = new RowsParameter<Counts>({
  tenant_id: column.bigint(({ delivery }) => delivery.tenantId),
  webhook_id: column.bigint(({ delivery }) => delivery.webhookId),
  event_type: column.text(({ delivery }) => delivery.eventType),
  successes: column.integer(({ successes }) => successes),
  failures: column.integer(({ failures }) => failures),
  histogram: column.text(({ histogram }) => `{${histogram.join(',')}}`),
});

const countStatement: Statement = {
  name: 'count_attempts',
  text: `
    insert into hookwright.delivery_stats as s (${STATS_KEY}, successes, failures, latency_histogram)
    select tenant_id, webhook_id, event_type, 'MINUTE', date_trunc('minute', clock_timestamp()), successes, failures,
           histogram::integer[]
    from ${counts.as('counts')}
    ${addStatsSql}`,
};

interface ReasonCount {
  delivery: DueDelivery;
  reason: string;
  failures: number;
}

const reasonCounts = new RowsParameter<ReasonCount>({
  tenant_id: column.bigint(({ delivery }) => delivery.tenantId),
  webhook_id: column.bigint(({ delivery }) => delivery.webhookId),
  reason: column.text(({ reason }) => reason),
  failures: column.integer(({ failures }) => failures),
});

const countFailuresStatement: Statement = {
  name: 'count_failures',
  text: `
    insert into hookwright.failure_stats as s (tenant_id, webhook_id, reason, resolution, bucket, failures)
    select tenant_id, webhook_id, reason, 'MINUTE', date_trunc('minute', clock_timestamp()), failures
    from ${reasonCounts.as('counts')}
    on conflict (tenant_id, webhook_id, reason, resolution, bucket) do update
    set failures = s.failures + excluded.failures`,
};

/** Counts attempts. The rows of their webhooks are locked, so two batches cannot meet on a row of the statistics. */
export async function countAttempts(client: pg.PoolClient, attempts: readonly FinishedAttempt[]): Promise<void> {
  const reasons = reasonsOf(attempts);
  await Promise.all([
    query(client, countStatement, counts.values(countsOf(attempts))),
    ...(reasons.length === 0 ? [] : [query(client, countFailuresStatement, reasonCounts.values(reasons))]),
  ]);
}

function reasonsOf(attempts: readonly FinishedAttempt[]): ReasonCount[] {
  const failed = attempts
    .filter(hasFailed)
    .map(({ delivery, outcome }) => ({ delivery, reason: reasonOf(outcome.errorCode) }));
  const groups = Map.groupBy(failed, ({ delivery, reason }) => `${delivery.webhookId} ${reason}`);
  return [...groups.values()].map((group) => ({ ...group[0]!, failures: group.length }));
}

function countsOf(attempts: readonly FinishedAttempt[]): Counts[] {
  const groups = Map.groupBy(attempts, ({ delivery }) => `${delivery.webhookId} ${delivery.eventType}`);
  return [...groups.values()].map((group) => {
    const histogram = new Array<number>(LATENCY_BUCKETS).fill(0);
    for (const { result } of group) {
      const bucket = latencyBucket(result.durationMs);
      histogram[bucket] = (histogram[bucket] ?? 0) + 1;
    }
    const failures = group.filter(hasFailed).length;
    return { delivery: group[0]!.delivery, successes: group.length - failures, failures, histogram };
  });
}
