import type pg from 'pg';
import { query, type Statement } from '../../database/database.js';
import { isOperational } from '../../domain/events/operational-events.js';
import { idRange } from '../../domain/ids/delivery-id.js';
import { formatTimestamp } from '../../domain/timestamp.js';
import type { FailedAttempt } from './finished-attempt.js';
import { type OperationalEvent, originOf, raiseEvents } from './raise-events.js';
import type { WebhookEvents } from './update-health.js';

interface WebhookRow {
  id: number;
  url: string;
  consecutive_failures: number;
  last_success_at: Date;
  disabled_at: Date;
  hold_until: Date;
}

const webhooksStatement: Statement = {
  name: 'read_webhooks_of_events',
  text: `select id, url, consecutive_failures, last_success_at, disabled_at, hold_until
         from hookwright.webhooks where id = any($1::bigint[])`,
};

const eventsStatement: Statement = {
  name: 'read_exhausted_deliveries',
  text: `select id, event_id from hookwright.deliveries where id = any($1::bigint[]) and id between $2 and $3`,
};

/**
 * Raises operational events in the transaction of the outcomes that cause them: webhooks were disabled by failures or
 * have recovered, and deliveries have failed for good. Deliveries of operational events are not reported: two webhooks
 * that fail would never come to an end.
 *
 * @param webhookEvents of webhooks whose rows are written already
 * @param exhausted the attempts that have made their deliveries FAILED
 */
export async function raiseOutcomeEvents(
  client: pg.PoolClient,
  webhookEvents: readonly WebhookEvents[],
  exhausted: readonly FailedAttempt[],
): Promise<void> {
  const failures = Map.groupBy(
    exhausted.filter(({ delivery }) => !isOperational(delivery.eventType)),
    ({ delivery }) => delivery.webhookId,
  );
  const latest = [...failures.values()].map((attempts) => ({ attempt: attempts.at(-1)!, attempts }));
  const webhookIds = [...new Set([...webhookEvents.map(({ webhook }) => webhook.id), ...failures.keys()])];
  if (webhookIds.length === 0) {
    return;
  }
  const deliveryIds = latest.map(({ attempt }) => attempt.delivery.id);
  const [webhookRows, deliveryRows] = await Promise.all([
    query<WebhookRow>(client, webhooksStatement, [webhookIds]),
    deliveryIds.length === 0
      ? []
      : query<{ id: number; event_id: number }>(client, eventsStatement, [deliveryIds, ...idRange(deliveryIds)]),
  ]);
  const webhooks = new Map(webhookRows.map((row) => [row.id, row]));
  const eventIds = new Map(deliveryRows.map((row) => [row.id, row.event_id]));
  await raiseEvents(client, [
    ...webhookEvents.flatMap((one) => eventsOf(one, webhooks.get(one.webhook.id)!)),
    ...latest.map(({ attempt, attempts }) => {
      const { webhookId, id } = attempt.delivery;
      return exhaustion(attempt, webhooks.get(webhookId)!.url, eventIds.get(id)!, attempts.length);
    }),
  ]);
}

function eventsOf({ webhook, events: verdict }: WebhookEvents, row: WebhookRow): OperationalEvent[] {
  const about = { tenantId: webhook.tenantId, webhookId: webhook.id, count: 1 };
  const which = { webhook_id: String(webhook.id), origin: originOf(row.url) };
  const events: OperationalEvent[] = [];
  if (verdict.recovered && webhook.failedAt !== null) {
    const disabled_at = formatTimestamp(webhook.failedAt);
    const recovered_at = formatTimestamp(row.last_success_at);
    events.push({ ...about, type: 'webhook.recovered', facts: { ...which, disabled_at, recovered_at } });
  }
  if (verdict.disabled !== null) {
    const facts = {
      ...which,
      reason: verdict.disabled,
      consecutive_failures: String(row.consecutive_failures),
      disabled_at: formatTimestamp(row.disabled_at),
      held_until: formatTimestamp(row.hold_until),
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
  return {
    tenantId: delivery.tenantId,
    webhookId: delivery.webhookId,
    type: 'delivery.exhausted',
    facts,
    count,
  };
}
