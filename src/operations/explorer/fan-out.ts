import { type FanOutVerdict, whyNoDelivery } from '../../domain/events/fan-out.js';
import { OPERATIONAL_EVENT_TYPES } from '../../domain/events/operational-events.js';
import { idToDate } from '../../domain/ids/delivery-id.js';
import { ofEventSql } from './of-event.js';
import { type Bounds, type SearchDeps, search } from './search.js';

/** Which event is asked about, and which slice of its webhooks. */
export interface FanOutQuestion {
  event: { id: number; eventType: string; onlyWebhookId: number | null };
  /** By the ids of the webhooks. */
  bounds: Bounds;
}

export interface FanOutItem {
  webhookId: number;
  /** Null: there is none, and `reason` says why. */
  deliveryId: number | null;
  reason: FanOutVerdict | null;
}

const ASK_FOR_LESS = 'Ask for fewer webhooks at a time, with first, and for fewer events.';

interface Row {
  event_id: number;
  webhook_id: number;
  delivery_id: number | null;
  created_at: Date;
  event_types: string[];
  active: boolean;
  types_before: string | null;
  active_before: string | null;
  for_one_webhook: boolean;
  about_webhook_id: number | null;
}

/** The first change of a member of a webhook after the event came. */
const firstChange = (member: string, name: string): string => `
  left join lateral (
    select a.before from hookwright.audit_log a
    where a.tenant_id = $1 and a.target_type = 'WEBHOOK' and a.target_id = w.id::text
      and a.action in ('WEBHOOK_UPDATED', 'WEBHOOK_DISABLED')
      and a.created_at > asked.at and strpos(a.before, '"${member}":') > 0
    order by a.created_at, a.id limit 1) ${name} on w.delivery_id is null`;

/**
 * For each event the tenant's webhooks within the bounds: those that live, and those that were deleted after they got
 * the event. A replayed event may have several deliveries to one webhook; the latest counts. What the audit log says is
 * looked up only where there is no delivery.
 */
const fanOutSql = (order: Bounds['order']): string => `
  select asked.event_id, w.id as webhook_id, w.delivery_id, w.created_at, w.event_types, w.active,
         types.before as types_before, activity.before as active_before,
         asked.only_webhook_id is not null as for_one_webhook,
         case when asked.event_type = any($8::text[]) and asked.only_webhook_id is null
           then (select (e.body::json->>'webhook_id')::bigint from hookwright.events e
                 where e.tenant_id = $1 and e.id = asked.event_id)
         end as about_webhook_id
  from unnest($2::bigint[], $3::text[], $4::timestamptz[], $9::bigint[])
         as asked(event_id, event_type, at, only_webhook_id)
  cross join lateral (
    with made as materialized (
      select d.webhook_id, max(d.id) as delivery_id from hookwright.deliveries d
      where ${ofEventSql('d', 'asked.event_id')} and (d.tenant_id = $1) is true
      group by d.webhook_id),
    listed as (
      (select id from hookwright.webhooks
       where tenant_id = $1 and deleted_at is null and id > $5 and id < $6 order by id ${order} limit $7)
      union
      select webhook_id from made where webhook_id > $5 and webhook_id < $6)
    select w.id, made.delivery_id, w.created_at, w.event_types, w.active
    from listed join hookwright.webhooks w on w.id = listed.id and (w.tenant_id = $1) is true
    left join made on made.webhook_id = w.id
    order by w.id ${order} limit $7) w
  ${firstChange('eventTypes', 'types')}
  ${firstChange('active', 'activity')}
  order by asked.event_id, w.id ${order}`;

/**
 * What became of events: one entry for each webhook, in the order that is asked for. How long a webhook's part of the
 * audit log is, nobody knows beforehand.
 *
 * @param questions with the same bounds
 * @param retentionDays how long deliveries are kept
 * @throws ApiError search_timed_out, rate_limited
 */
export async function readFanOut(
  deps: SearchDeps,
  tenantId: number,
  questions: readonly FanOutQuestion[],
  { retentionDays, now }: { retentionDays: number; now: Date },
): Promise<Map<number, FanOutItem[]>> {
  const { above = 0, below = 0, order = 'desc', limit = 0 } = questions[0]?.bounds ?? {};
  const events = new Map(questions.map(({ event }) => [event.id, event]));
  const rows = await search<Row>(
    deps,
    tenantId,
    fanOutSql(order),
    [
      tenantId,
      [...events.keys()],
      [...events.values()].map(({ eventType }) => eventType),
      [...events.keys()].map(idToDate),
      above,
      below,
      limit,
      OPERATIONAL_EVENT_TYPES,
      [...events.values()].map(({ onlyWebhookId }) => onlyWebhookId),
    ],
    ASK_FOR_LESS,
  );
  const keptFrom = now.getTime() - retentionDays * 86_400_000;
  const found = new Map<number, FanOutItem[]>();
  for (const row of rows) {
    const { eventType } = events.get(row.event_id)!;
    const item = itemOf(row, eventType, keptFrom);
    found.set(row.event_id, [...(found.get(row.event_id) ?? []), item]);
  }
  return found;
}

function itemOf(row: Row, eventType: string, keptFrom: number): FanOutItem {
  const { webhook_id: webhookId, delivery_id: deliveryId } = row;
  if (deliveryId !== null) {
    return { webhookId, deliveryId, reason: null };
  }
  const createdAt = idToDate(row.event_id);
  const event = {
    eventType,
    createdAt,
    forOneWebhook: row.for_one_webhook,
    aboutWebhookId: row.about_webhook_id,
    beyondRetention: createdAt.getTime() < keptFrom,
  };
  const reason = whyNoDelivery(event, {
    id: webhookId,
    createdAt: row.created_at,
    eventTypes: row.event_types,
    active: row.active,
    eventTypesBefore: memberOf<string[]>(row.types_before, 'eventTypes'),
    activeBefore: memberOf<boolean>(row.active_before, 'active'),
  });
  return { webhookId, deliveryId, reason };
}

function memberOf<Value>(json: string | null, name: string): Value | null {
  return json === null ? null : ((JSON.parse(json) as Record<string, Value>)[name] ?? null);
}
