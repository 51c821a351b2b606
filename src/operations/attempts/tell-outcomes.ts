import type pg from 'pg';
import { query, type Statement } from '../../database/database.js';
import { idRange } from '../../domain/delivery-id.js';
import { isOperational } from '../../domain/operational-events.js';
import { formatTimestamp } from '../../domain/timestamp.js';
import type { FailedAttempt } from './finished-attempt.js';
import { type Cause, originOf, raiseEvents } from './raise-events.js';
import type { WebhookNews } from './update-health.js';

interface ToldWebhookRow {
  id: number;
  url: string;
  consecutive_failures: number;
  last_success_at: Date;
  disabled_at: Date;
  hold_until: Date;
}

const webhooksStatement: Statement = {
  name: 'read_webhooks_to_tell_of',
  text: `select id, url, consecutive_failures, last_success_at, disabled_at, hold_until
         from hookwright.webhooks where id = any($1::bigint[])`,
};

const eventsStatement: Statement = {
  name: 'read_exhausted_deliveries',
  text: `select id, event_id from hookwright.deliveries where id = any($1::bigint[]) and id between $2 and $3`,
};

/**
 * Tells a tenant's other webhooks, in the transaction of the outcomes, which webhooks were disabled by failures or have
 * recovered, and that deliveries have failed for good. Deliveries of operational events are not reported: two webhooks
 * that fail would never come to an end.
 *
 * @param news of webhooks whose rows are written already
 * @param exhausted the attempts that have made their deliveries FAILED
 */
export async function tellOutcomes(
  client: pg.PoolClient,
  news: readonly WebhookNews[],
  exhausted: readonly FailedAttempt[],
): Promise<void> {
  const failures = Map.groupBy(
    exhausted.filter(({ delivery }) => !isOperational(delivery.eventType)),
    ({ delivery }) => delivery.webhookId,
  );
  const latest = [...failures.values()].map((attempts) => ({ attempt: attempts.at(-1)!, attempts }));
  const webhookIds = [...new Set([...news.map(({ webhook }) => webhook.id), ...failures.keys()])];
  if (webhookIds.length === 0) {
    return;
  }
  const deliveryIds = latest.map(({ attempt }) => attempt.delivery.id);
  const [webhookRows, deliveryRows] = await Promise.all([
    query<ToldWebhookRow>(client, webhooksStatement, [webhookIds]),
    deliveryIds.length === 0
      ? []
      : query<{ id: number; event_id: number }>(client, eventsStatement, [
          deliveryIds,
          ...idRange(deliveryIds),
        ]),
  ]);
  const webhooks = new Map(webhookRows.map((row) => [row.id, row]));
  const eventIds = new Map(deliveryRows.map((row) => [row.id, row.event_id]));
  await raiseEvents(client, [
    ...news.flatMap((one) => causesOf(one, webhooks.get(one.webhook.id)!)),
    ...latest.map(({ attempt, attempts }) => {
      const { webhookId, id } = attempt.delivery;
      return exhaustion(attempt, webhooks.get(webhookId)!.url, eventIds.get(id)!, attempts.length);
    }),
  ]);
}

function causesOf({ webhook, news }: WebhookNews, row: ToldWebhookRow): Cause[] {
  const about = { tenantId: webhook.tenant_id, webhookId: webhook.id, count: 1 };
  const which = { webhook_id: String(webhook.id), origin: originOf(row.url) };
  const causes: Cause[] = [];
  if (news.recovered && webhook.failed_at !== null) {
    const disabled_at = formatTimestamp(webhook.failed_at);
    const recovered_at = formatTimestamp(row.last_success_at);
    causes.push({ ...about, type: 'webhook.recovered', facts: { ...which, disabled_at, recovered_at } });
  }
  if (news.disabled !== null) {
    const facts = {
      ...which,
      reason: news.disabled,
      consecutive_failures: String(row.consecutive_failures),
      disabled_at: formatTimestamp(row.disabled_at),
      held_until: formatTimestamp(row.hold_until),
    };
    causes.push({ ...about, type: 'webhook.disabled', facts });
  }
  return causes;
}

function exhaustion(
  { delivery, outcome }: FailedAttempt,
  url: string,
  eventId: number,
  count: number,
): Cause {
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
