import type pg from 'pg';
import { foldHealth, type HealthState, type HealthStep, type HealthVerdict } from '../../domain/deliveries/health.js';
import { isOfEndpoint, isUnanswered } from '../../domain/deliveries/outcome.js';
import { isOperational } from '../../domain/events/operational-events.js';
import { closingMs, nextProbeMs } from '../../domain/pacing/probes.js';
import { query, type Statement } from '../../platform/database/database.js';
import { bigintArray, column, RowsParameter } from '../../platform/database/rows-parameter.js';
import { enqueueAlign } from '../jobs/enqueue.js';
import { about, auditBySql, service } from '../rows/audit.js';
import { type FinishedAttempt, hasFailed } from './finished-attempt.js';

export interface HealthRow extends Omit<HealthState, 'streak'> {
  streakBeganAgoMs: number | null;
  cutCounted: boolean;
  id: number;
  tenantId: number;
  url: string;
  failedAt: Date | null;
}

const lockStatement: Statement = {
  name: 'lock_webhooks',
  text: `
    select id, tenant_id as "tenantId", url, active, generation, consecutive_failures as "consecutiveFailures",
           ordinary_failures as "ordinaryFailures", failed_at as "failedAt", failed_at is not null as "disabledRaised",
           extract(epoch from clock_timestamp() - coalesce(streak_began_at, failing_since))::float8 * 1000
             as "streakBeganAgoMs", cut_counted as "cutCounted",
           greatest(0, extract(epoch from clock_timestamp() - failing_since)::float8 * 1000) as "failingForMs",
           extract(epoch from clock_timestamp() - last_failure_at)::float8 * 1000 as "lastFailureAgoMs"
    from hookwright.webhooks where id = any($1::bigint[]) order by id for update`,
};

/** Locks webhooks in the order of ids, as everywhere. */
export const lockWebhooks = (client: pg.PoolClient, ids: readonly number[]): Promise<HealthRow[]> =>
  query<HealthRow>(client, lockStatement, [bigintArray(ids)]);

/** The operator's settings. */
export interface HealthRules {
  /** How long a webhook that is disabled collects events. */
  holdHours: number;
  /** The shortest failure streak that disables a webhook. */
  streakMsMin: number;
}

export interface DisabledWebhook {
  webhookId: number;
  tenantId: number;
  reason: NonNullable<HealthVerdict['disable']>;
}

/** A webhook's health after its attempts. */
export interface Health {
  webhook: Omit<HealthRow, 'streakBeganAgoMs' | 'cutCounted'>;
  verdict: HealthVerdict;
  /** The time is reckoned by Postgres's clock, like all others here. */
  lastSuccessAgoMs: number | null;
  lastFailureAgoMs: number | null;
  /** Null: it began before these attempts, or there is none. */
  streakBeganAgoMs: number | null;
  closeMs: number | null;
  /** In how many ms the next attempt may begin, because the last ones have failed; null: at once. */
  nextProbeInMs: number | null;
  /** The error code of the last failure; null: none of these attempts has failed. */
  lastError: string | null;
}

/** After the hours for which one that is disabled collects events. */
const healths = new RowsParameter<Health>(
  {
    id: column.bigint(({ webhook }) => webhook.id),
    tenant_id: column.bigint(({ webhook }) => webhook.tenantId),
    consecutive_failures: column.integer(({ verdict }) => verdict.consecutiveFailures),
    disable: column.ofType('hookwright.disabled_reason')(({ verdict }) => verdict.disable),
    last_success_ago_ms: column.double(({ lastSuccessAgoMs }) => lastSuccessAgoMs),
    last_failure_ago_ms: column.double(({ lastFailureAgoMs }) => lastFailureAgoMs),
    close_ms: column.double(({ closeMs }) => closeMs),
    streak_began_ago_ms: column.double(({ streakBeganAgoMs }) => streakBeganAgoMs),
    cut_counted: column.boolean(({ verdict }) => verdict.streak?.cutCounted ?? false),
    failing_for_ms: column.double(({ verdict }) => verdict.failingForMs),
    next_probe_in_ms: column.double(({ nextProbeInMs }) => nextProbeInMs),
    ordinary_failures: column.boolean(({ verdict }) => verdict.ordinaryFailures),
    disabled_raised: column.boolean(({ verdict }) => verdict.raises.disabled !== null),
    recovered: column.boolean(({ verdict }) => verdict.raises.recovered),
  },
  { after: 1 },
);

const agoSql = (ms: string) => `clock_timestamp() - ${ms} * interval '1 millisecond'`;

const healthStatement: Statement = {
  name: 'update_health',
  text: `
    update hookwright.webhooks w
    set consecutive_failures = h.consecutive_failures,
        last_success_at = greatest(w.last_success_at, ${agoSql('h.last_success_ago_ms')}),
        last_failure_at = greatest(w.last_failure_at, ${agoSql('h.last_failure_ago_ms')}),
        closed_until = case when h.close_ms is null then w.closed_until
          else greatest(w.closed_until, clock_timestamp() + h.close_ms * interval '1 millisecond') end,
        streak_began_at = case when h.consecutive_failures > 0
          then coalesce(${agoSql('h.streak_began_ago_ms')}, w.streak_began_at) end,
        cut_counted = h.cut_counted,
        failing_since = case when h.failing_for_ms = 0 then clock_timestamp()
          when h.failing_for_ms > 0 then w.failing_since end,
        next_probe_at = clock_timestamp() + h.next_probe_in_ms * interval '1 millisecond',
        active = w.active and h.disable is null,
        generation = w.generation + (h.disable is not null)::integer,
        version = w.version + (h.disable is not null)::integer,
        disabled_at = case when h.disable is null then w.disabled_at else clock_timestamp() end,
        disabled_reason = coalesce(h.disable, w.disabled_reason),
        hold_until = case when h.disable is null then w.hold_until
          else clock_timestamp() + $1 * interval '1 hour' end,
        ordinary_failures = h.ordinary_failures,
        failed_at = case when h.disabled_raised then clock_timestamp() when h.recovered then null else w.failed_at end
    from ${healths.as('h')}
    where w.id = h.id and w.tenant_id = h.tenant_id
    returning w.id, w.url, w.consecutive_failures as "consecutiveFailures", w.last_success_at as "lastSuccessAt",
              w.disabled_at as "disabledAt", w.hold_until as "holdUntil",
              coalesce(w.streak_began_at, w.failing_since) as "failingSince"`,
};

/** A webhook's row after its health was written. */
export interface WrittenWebhook {
  id: number;
  url: string;
  consecutiveFailures: number;
  lastSuccessAt: Date;
  disabledAt: Date;
  holdUntil: Date;
  /** When the failure streak began. */
  failingSince: Date;
}

/**
 * Writes what attempts say of their webhooks' health; one that it disables has its deliveries held.
 *
 * @param webhooks locked; those that no attempt belongs to are left alone
 * @param counted the attempts that were recorded now
 * @returns at once, with the statements sent: `written` resolves when they are done
 */
export function updateHealth(
  client: pg.PoolClient,
  webhooks: readonly HealthRow[],
  counted: readonly FinishedAttempt[],
  { holdHours, streakMsMin }: HealthRules,
): { webhookEvents: Health[]; disabled: DisabledWebhook[]; written: Promise<WrittenWebhook[]> } {
  const byWebhook = Map.groupBy(counted, ({ delivery }) => delivery.webhookId);
  const touched = webhooks
    .filter(({ id }) => byWebhook.has(id))
    .map((webhook) => newHealth(webhook, byWebhook.get(webhook.id) ?? [], streakMsMin));
  if (touched.length === 0) {
    return { webhookEvents: [], disabled: [], written: Promise.resolve([]) };
  }
  const updated = query<WrittenWebhook>(client, healthStatement, [holdHours, ...healths.values(touched)]);
  const disabled = touched.filter(({ verdict }) => verdict.disable !== null);
  return {
    webhookEvents: touched.filter(
      ({ verdict: { raises } }) => raises.failing || raises.disabled !== null || raises.recovered,
    ),
    disabled: touched.flatMap(({ webhook: { id: webhookId, tenantId }, verdict: { disable: reason } }) =>
      reason === null ? [] : [{ webhookId, tenantId, reason }],
    ),
    written: Promise.all([updated, ...disabled.map((one) => afterDisabling(client, one))]).then(([rows]) => rows),
  };
}

async function afterDisabling(client: pg.PoolClient, { webhook, verdict }: Health): Promise<void> {
  const change = {
    ...about('WEBHOOK', webhook.tenantId, webhook.id),
    action: 'WEBHOOK_DISABLED',
    before: { active: true },
    after: { active: false, reason: verdict.disable, consecutiveFailures: verdict.consecutiveFailures },
  } as const;
  await Promise.all([enqueueAlign(client, webhook.tenantId, webhook.id), auditBySql(client, service, change)]);
}

function newHealth(row: HealthRow, counted: readonly FinishedAttempt[], streakMsMin: number): Health {
  const attempts = counted.filter(({ outcome }) => isOfEndpoint(outcome));
  const nowMs = performance.now();
  const { streakBeganAgoMs: beganAgoMs, cutCounted, ...webhook } = row;
  const before =
    webhook.consecutiveFailures > 0 && beganAgoMs !== null ? { beganMs: nowMs - beganAgoMs, cutCounted } : null;
  // One that was written late, because the database was away, may stand behind others that finished after it.
  const inOrder = attempts.toSorted((a, b) => a.endedAtMs - b.endedAtMs);
  const steps = inOrder.map((attempt) => stepOf(attempt, webhook));
  const agoMs = (endedAtMs: number) => nowMs - endedAtMs;
  const latestAgoMs = (wanted: readonly FinishedAttempt[]) =>
    wanted.length === 0 ? null : agoMs(Math.max(...wanted.map(({ endedAtMs }) => endedAtMs)));
  const verdict = foldHealth({ ...webhook, streak: before }, steps, streakMsMin);
  const { consecutiveFailures, failingForMs, streak } = verdict;
  // Another url, or a webhook that was switched on since, opened it: what was under way then must not close it again.
  const closings = attempts.flatMap(({ delivery: { url, generation }, outcome }) =>
    url === webhook.url && generation === webhook.generation ? (closingMs(outcome, consecutiveFailures) ?? []) : [],
  );
  return {
    webhook,
    verdict,
    lastSuccessAgoMs: latestAgoMs(attempts.filter((attempt) => !hasFailed(attempt))),
    lastFailureAgoMs: latestAgoMs(attempts.filter(hasFailed)),
    streakBeganAgoMs: streak === null || streak.beganMs === before?.beganMs ? null : agoMs(streak.beganMs),
    closeMs: closings.length > 0 ? Math.max(...closings) : null,
    nextProbeInMs:
      failingForMs === null || verdict.disable !== null
        ? null
        : Math.max(0, nextProbeMs(consecutiveFailures, failingForMs, streakMsMin) - failingForMs),
    lastError: inOrder.findLast(hasFailed)?.outcome.errorCode ?? null,
  };
}

function stepOf(
  { delivery, startedAtMs, endedAtMs, isSameClosing, outcome, result }: FinishedAttempt,
  webhook: { url: string },
): HealthStep {
  return {
    generation: delivery.generation,
    // That another url is gone for good says nothing of this one.
    verdict: outcome.verdict === 'GONE' && delivery.url !== webhook.url ? 'FAILED' : outcome.verdict,
    startedMs: startedAtMs,
    endedMs: endedAtMs,
    isUnanswered: isUnanswered(result),
    isSameClosing,
    isOperational: isOperational(delivery.eventType),
  };
}
