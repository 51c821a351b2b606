import { tenantQuery } from '../../database/tenant-database.js';
import { type Bounds, Conditions, type SearchDeps, search } from './search.js';

/** Which events; all conditions together. */
interface EventConditions {
  /** This one alone. */
  eventId?: number | undefined;
  eventType?: string | undefined;
  /** A part of the body, letter by letter. */
  payloadContains?: string | undefined;
}

interface EventRow {
  id: number;
  tenantId: number;
  eventType: string;
  onlyWebhookId: number | null;
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
  { above, below, order, limit }: Bounds,
): Promise<EventRow[]> {
  const conditions = new Conditions();
  const page = [tenantId, above, below, limit].map((value) => conditions.place(value));
  if (eventId !== undefined) {
    conditions.add(`e.id = ${conditions.place(eventId)}`);
  }
  if (eventType !== undefined) {
    conditions.add(`e.event_type = ${conditions.place(eventType)}`);
  }
  if (payloadContains !== undefined) {
    conditions.add(`strpos(e.body, ${conditions.place(payloadContains)}) > 0`);
  }
  const text = `
    select e.id, e.tenant_id as "tenantId", e.event_type as "eventType", e.only_webhook_id as "onlyWebhookId"
    from hookwright.events e
    where e.tenant_id = ${page[0]} and e.id > ${page[1]} and e.id < ${page[2]} ${conditions.sql}
    order by e.id ${order} limit ${page[3]}`;
  if (conditions.sql === '') {
    return tenantQuery<EventRow>(deps.db.pool, tenantId, { name: `page_events_${order}`, text }, conditions.values);
  }
  return search(deps, tenantId, text, conditions.values);
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
