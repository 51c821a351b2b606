import type pg from 'pg';
import { idRange } from '../../domain/ids/delivery-id.js';
import { formatTimestamp } from '../../domain/text/timestamp.js';
import { query, type Statement } from '../../platform/database/database.js';
import type { FailedAttempt } from './finished-attempt.js';
import { type OperationalEvent, originOf } from './raise-events.js';

/** Other outcomes wait meanwhile. */
const WAITING_COUNT_MAX = 10_000;

/** After the range of the deliveries' ids. */
const blockedStatement: Statement = {
  name: 'read_blocked_keys',
  text: `
    select q.delivery_id as id, w.url, q.key, q.blocked_at as "blockedAt", d.event_id as "eventId",
           (select count(*)::integer from (
              select from hookwright.ordering_queue behind
              where behind.webhook_id = q.webhook_id and behind.key = q.key and behind.position > q.position
              limit ${WAITING_COUNT_MAX}) as counted) as waiting
    from unnest($3::bigint[], $4::bigint[]) as ended(tenant_id, id)
    join hookwright.ordering_queue q on q.tenant_id = ended.tenant_id and q.delivery_id = ended.id
    join hookwright.webhooks w on w.id = q.webhook_id
    join hookwright.deliveries d on d.id = q.delivery_id and d.id = any($4::bigint[]) and d.id between $1 and $2
    where q.blocked_at is not null`,
};

interface BlockedRow {
  id: number;
  url: string;
  key: string;
  blockedAt: Date;
  eventId: number;
  waiting: number;
}

/**
 * Finds the keys that failed deliveries block.
 *
 * @param endedTurns failed attempts, after `endTurns`
 * @returns one event for each webhook, about the last of its keys
 */
export async function blockedKeys(
  client: pg.PoolClient,
  endedTurns: readonly FailedAttempt[],
): Promise<OperationalEvent[]> {
  if (endedTurns.length === 0) {
    return [];
  }
  const ids = endedTurns.map(({ delivery }) => delivery.id);
  const tenantIds = endedTurns.map(({ delivery }) => delivery.tenantId);
  const rows = await query<BlockedRow>(client, blockedStatement, [...idRange(ids), tenantIds, ids]);
  const rowOf = new Map(rows.map((row) => [row.id, row]));
  const blocking = endedTurns.filter(({ delivery }) => rowOf.has(delivery.id));
  return [...Map.groupBy(blocking, ({ delivery }) => delivery.webhookId).values()].map((attempts) => {
    const last = attempts.at(-1)!;
    return eventOf(last, rowOf.get(last.delivery.id)!, attempts.length);
  });
}

function eventOf({ delivery, outcome }: FailedAttempt, row: BlockedRow, count: number): OperationalEvent {
  const { tenantId, webhookId, id, eventType } = delivery;
  const facts = {
    webhook_id: String(webhookId),
    origin: originOf(row.url),
    key: row.key,
    delivery_id: String(id),
    event_id: String(row.eventId),
    event_type: eventType,
    last_error: outcome.errorCode,
    waiting: String(row.waiting),
    blocked_at: formatTimestamp(row.blockedAt),
  };
  return { tenantId, webhookId, type: 'webhook.key_blocked', facts, count };
}
