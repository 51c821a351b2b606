import { Event } from '../../entities/event.js';
import { tenantQuery } from '../../platform/database/tenant-database.js';
import { type Bounds, PageConditions, readPage } from './page.js';
import type { SearchDeps } from './search.js';

/** All given conditions apply. */
interface EventConditions {
  eventId?: number | undefined;
  eventType?: string | undefined;
  /** A part of the body, letter by letter. */
  payloadContains?: string | undefined;
}

/**
 * A page of a tenant's events.
 *
 * @throws ApiError search_timed_out, rate_limited
 */
export async function pageEvents(
  deps: SearchDeps,
  tenantId: number,
  { eventId, eventType, payloadContains }: EventConditions,
  bounds: Bounds,
): Promise<Event[]> {
  const conditions = new PageConditions(tenantId, bounds);
  conditions.and(eventId, (id) => `e.id = ${id}`);
  conditions.and(eventType, (type) => `e.event_type = ${type}`);
  conditions.and(payloadContains, (part) => `strpos(e.body, ${part}) > 0`);
  const text = `
    select e.id, e.tenant_id as "tenantId", e.event_type as "eventType", e.only_webhook_id as "onlyWebhookId",
           e.ordering_key as "orderingKey", e.erased_at as "erasedAt", e.erased_bytes as "erasedBytes",
           e.targets
    from hookwright.events e
    where e.tenant_id = $1 and e.id > $2 and e.id < $3 ${conditions.sql}
    order by e.id ${bounds.order} limit $4`;
  const name = `page_events_${bounds.order}`;
  const rows = await readPage(deps, conditions, { name, text, isSearch: conditions.sql !== '' });
  return rows.map((row) => Object.assign(new Event(), row));
}

/** The event that an idempotency key made; null when there is none, or the key is not kept any more. */
export async function eventOfKey(
  { db }: Pick<SearchDeps, 'db'>,
  tenantId: number,
  key: string,
): Promise<number | null> {
  const statement = { name: 'event_of_key', text: 'select hookwright.event_of_key($1) as id' };
  const [row] = await tenantQuery<{ id: number | null }>(db.pool, tenantId, statement, [key]);
  return row?.id ?? null;
}
