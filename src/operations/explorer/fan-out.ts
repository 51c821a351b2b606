import { asksChanges, type EventFilter } from '../../domain/content/filter.js';
import { type FailedCondition, FilteredEvent } from '../../domain/content/judge-filter.js';
import { type FanOutVerdict, isFilterAsked, whyNoDelivery } from '../../domain/events/fan-out.js';
import { OPERATIONAL_EVENT_TYPES, unfilteredTypes } from '../../domain/events/operational-events.js';
import { idToDate } from '../../domain/ids/delivery-id.js';
import { DAY_MS } from '../../domain/text/durations.js';
import { piece } from '../../platform/concurrency/in-pieces.js';
import { type Bounds, ofEventSql } from './page.js';
import { eventBodies, formerStates } from './read-bodies.js';
import { type SearchDeps, search } from './search.js';

/** An event, and the slice of its webhooks that is read. */
export interface FanOutQuestion {
  event: { id: number; eventType: string; onlyWebhookId: number | null; targets?: readonly string[] | null };
  /** By ids of webhooks. */
  bounds: Bounds;
}

export interface FanOutItem {
  webhookId: number;
  /** Null: none; `reason` says why. */
  deliveryId: number | null;
  reason: FanOutVerdict | null;
  /** With the reason FILTERED: what the event does not meet. */
  failedCondition: FailedCondition | null;
}

type Webhook = Parameters<typeof whyNoDelivery>[1];

interface Row extends Webhook {
  eventId: number;
  deliveryId: number | null;
  aboutWebhookId: number | null;
  filter: EventFilter | null;
  /** Before its first change after the event; null when there was none. */
  filterBefore: [EventFilter | null] | null;
}

/** The value that a member of a webhook had before its first change after the event; null: it was not changed. */
const valueBefore = (member: string, name: string): string => `
  left join lateral (
    select a.before::json->'${member}' as value from hookwright.audit_log a
    where a.tenant_id = $1 and a.target_type = 'WEBHOOK' and a.target_id = w.id::text
      and a.action in ('WEBHOOK_UPDATED', 'WEBHOOK_DISABLED')
      and a.created_at > asked.at and strpos(a.before, '"${member}":') > 0
      and a.before::json->'${member}' is not null
    order by a.created_at, a.id limit 1) ${name} on w.delivery_id is null`;

/**
 * The tenant's webhooks within the bounds, for each event: living ones, and those that were deleted after they got the
 * event. A replayed event may have several deliveries to one webhook; the latest counts. The audit log is read only
 * where there is no delivery.
 */
const fanOutSql = (order: Bounds['order']): string => `
  select asked.event_id as "eventId", w.id, w.delivery_id as "deliveryId", w.created_at as "createdAt",
         w.event_types as "eventTypes", w.active, w.callback, types.value as "eventTypesBefore", activity.value as "activeBefore",
         w.filter, case when filters.value is not null then json_build_array(filters.value) end as "filterBefore",
         case when asked.event_type = any($8::text[]) and asked.only_webhook_id is null
           then (select (e.body::json->>'webhook_id')::bigint from hookwright.events e
                 where e.tenant_id = $1 and e.id = asked.event_id)
         end as "aboutWebhookId"
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
    select w.id, made.delivery_id, w.created_at, w.event_types, w.active,
           o.filter, o.callback is true as callback
    from listed join hookwright.webhooks w on w.id = listed.id and (w.tenant_id = $1) is true
    left join made on made.webhook_id = w.id
    left join hookwright.webhook_options o on w.options_version is not null and o.webhook_id = w.id
    order by w.id ${order} limit $7) w
  ${valueBefore('eventTypes', 'types')}
  ${valueBefore('active', 'activity')}
  ${valueBefore('filter', 'filters')}
  order by asked.event_id, w.id ${order}`;

/**
 * The webhooks of events, in the order of the bounds, each with the delivery that it got or the reason for none. It is
 * a search, because a webhook's part of the audit log may be long.
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
  const eventById = new Map(questions.map(({ event }) => [event.id, event]));
  const events = [...eventById.values()];
  const rows = await search<Row>(
    deps,
    tenantId,
    { text: fanOutSql(order) },
    [
      tenantId,
      events.map(({ id }) => id),
      events.map(({ eventType }) => eventType),
      events.map(({ id }) => idToDate(id)),
      above,
      below,
      limit,
      OPERATIONAL_EVENT_TYPES,
      events.map(({ onlyWebhookId }) => onlyWebhookId),
    ],
    { advice: 'Ask for fewer webhooks at a time, with first, and for fewer events.' },
  );
  const keptFrom = now.getTime() - retentionDays * DAY_MS;
  const found = new Map<number, FanOutItem[]>(events.map(({ id }) => [id, []]));
  const filtered: Filtered[] = [];
  const unfiltered = unfilteredTypes(tenantId);
  for (const { eventId, deliveryId, aboutWebhookId, filter, filterBefore, ...webhook } of rows) {
    const { eventType, onlyWebhookId, targets = null } = eventById.get(eventId)!;
    const createdAt = idToDate(eventId);
    const event = {
      eventType,
      createdAt,
      forOneWebhook: onlyWebhookId !== null,
      targets: targets?.map(Number) ?? null,
      aboutWebhookId,
      beyondRetention: createdAt.getTime() < keptFrom,
    };
    const reason = deliveryId === null ? whyNoDelivery(event, webhook) : null;
    const item: FanOutItem = { webhookId: webhook.id, deliveryId, reason, failedCondition: null };
    const inForce = filterBefore === null ? filter : filterBefore[0];
    if (reason !== null && isFilterAsked(reason) && inForce !== null && !unfiltered.includes(eventType)) {
      filtered.push({ eventId, eventType, filter: inForce, item });
    }
    found.get(eventId)!.push(item);
  }
  await judgeFilters(deps, tenantId, filtered);
  return found;
}

interface Filtered {
  eventId: number;
  eventType: string;
  filter: EventFilter;
  item: FanOutItem;
}

/** Bodies may be long, so only a few are read at a time. */
const BODIES_READ = 10;

/** Notes where a filter is the reason. */
async function judgeFilters(deps: SearchDeps, tenantId: number, filtered: readonly Filtered[]): Promise<void> {
  const byEvent = [...Map.groupBy(filtered, ({ eventId }) => eventId)];
  for (let first = 0; first < byEvent.length; first += BODIES_READ) {
    const some = byEvent.slice(first, first + BODIES_READ);
    const ids = some.map(([id]) => id);
    const bodies = await eventBodies.read(deps.db, tenantId, ids);
    const asking = some.filter(([, entries]) => entries.some(({ filter }) => asksChanges(filter))).map(([id]) => id);
    const former = asking.length === 0 ? new Map<number, string>() : await formerStates.read(deps.db, tenantId, asking);
    for (const [id, entries] of some) {
      const body = bodies.get(id);
      const event =
        body === undefined
          ? null
          : await piece(tenantId, () => new FilteredEvent(entries[0]!.eventType, body, former.get(id)));
      for (const { filter, item } of entries) {
        item.failedCondition = (await piece(tenantId, () => event?.failedCondition(filter))) ?? null;
        item.reason = item.failedCondition === null ? item.reason : 'FILTERED';
      }
    }
  }
}
