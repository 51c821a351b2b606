import type pg from 'pg';
import { isOperational } from '../../domain/events/operational-events.js';
import { idRange } from '../../domain/ids/delivery-id.js';
import { formatTimestamp } from '../../domain/text/timestamp.js';
import { query, type Statement } from '../../platform/database/database.js';
import { blockedKeys } from './blocked-keys.js';
import type { FailedAttempt } from './finished-attempt.js';
import { type OperationalEvent, originOf, raiseEvents } from './raise-events.js';
import type { Health, WrittenWebhook } from './update-health.js';

const eventsStatement: Statement = {
  name: 'read_exhausted_deliveries',
  text: `select id, event_id from hookwright.deliveries where id = any($1::bigint[]) and id between $2 and $3`,
};

/**
 * Raises operational events in the transaction of the outcomes that cause them. Exhausted deliveries of operational
 * events are not reported: two webhooks that fail would never come to an end.
 *
 * @param exhausted the attempts that have made their deliveries FAILED
 * @param endedTurns the failed attempts of `endTurns`, which came before
 * @param written the webhooks of `webhookEvents` and `exhausted`, as their rows stand now
 */
export async function raiseOutcomeEvents(
  client: pg.PoolClient,
  {
    webhookEvents,
    exhausted,
    endedTurns,
    written,
  }: {
    webhookEvents: readonly Health[];
    exhausted: readonly FailedAttempt[];
    endedTurns: readonly FailedAttempt[];
    written: readonly WrittenWebhook[];
  },
): Promise<void> {
  const failures = Map.groupBy(
    exhausted.filter(({ delivery }) => !isOperational(delivery.eventType)),
    ({ delivery }) => delivery.webhookId,
  );
  const latest = [...failures.values()].map((attempts) => ({ attempt: attempts.at(-1)!, count: attempts.length }));
  const ids = latest.map(({ attempt }) => attempt.delivery.id);
  const [rows, blocked] = await Promise.all([
    ids.length === 0 ? [] : query<{ id: number; event_id: number }>(client, eventsStatement, [ids, ...idRange(ids)]),
    blockedKeys(client, endedTurns),
  ]);
  const eventIds = new Map(rows.map(({ id, event_id }) => [id, event_id]));
  const webhooks = new Map(written.map((webhook) => [webhook.id, webhook]));
  await raiseEvents(client, [
    ...webhookEvents.flatMap((one) => eventsOf(one, webhooks.get(one.webhook.id)!)),
    ...latest.map(({ attempt, count }) => {
      const { webhookId, id } = attempt.delivery;
      return exhaustion(attempt, webhooks.get(webhookId)!.url, eventIds.get(id)!, count);
    }),
    ...blocked,
  ]);
}

function eventsOf({ webhook, verdict, lastError }: Health, row: WrittenWebhook): OperationalEvent[] {
  const about = { tenantId: webhook.tenantId, webhookId: webhook.id, count: 1 };
  const which = { webhook_id: String(webhook.id), origin: originOf(row.url) };
  const events: OperationalEvent[] = [];
  if (verdict.raises.recovered && webhook.failedAt !== null) {
    const disabled_at = formatTimestamp(webhook.failedAt);
    const recovered_at = formatTimestamp(row.lastSuccessAt);
    events.push({ ...about, type: 'webhook.recovered', facts: { ...which, disabled_at, recovered_at } });
  }
  if (verdict.raises.failing) {
    const facts = {
      ...which,
      consecutive_failures: String(row.consecutiveFailures),
      failing_since: formatTimestamp(row.failingSince),
      last_error: lastError ?? '',
    };
    events.push({ ...about, type: 'webhook.failing', facts });
  }
  if (verdict.raises.disabled !== null) {
    const facts = {
      ...which,
      reason: verdict.raises.disabled,
      consecutive_failures: String(row.consecutiveFailures),
      disabled_at: formatTimestamp(row.disabledAt),
      held_until: formatTimestamp(row.holdUntil),
    };
    events.push({ ...about, type: 'webhook.disabled', facts });
  }
  return events;
}

function exhaustion(
  { delivery, outcome }: FailedAttempt,
  url: string,
  eventId: number,
  count: number,
): OperationalEvent {
  const facts = {
    webhook_id: String(delivery.webhookId),
    origin: originOf(url),
    delivery_id: String(delivery.id),
    event_id: String(eventId),
    event_type: delivery.eventType,
    attempts: String(delivery.attemptNumber),
    last_error: outcome.errorCode,
  };
  return { tenantId: delivery.tenantId, webhookId: delivery.webhookId, type: 'delivery.exhausted', facts, count };
}
