import type { Database, Statement } from '../database.js';
import type { CancelReason, DeliveryStatus } from '../entities/delivery.js';
import { tenantQuery } from '../tenant-database.js';
import { type Bounds, boundedQuery, Conditions, type SearchTurns } from './search.js';

/** What the latest attempt of a delivery was answered with: 0 for no answer at all, else the first digit of the status. */
export type StatusClass = 0 | 2 | 3 | 4 | 5;

/** Which deliveries; all conditions together. */
export interface DeliveryConditions {
  webhookId?: number | undefined;
  eventId?: number | undefined;
  status?: DeliveryStatus | undefined;
  eventType?: string | undefined;
  statusClass?: StatusClass | undefined;
  errorCode?: string | undefined;
  /** A part of the event's body, letter by letter. */
  payloadContains?: string | undefined;
}

/** A row, with the names that the entity has. */
export interface DeliveryRow {
  id: number;
  tenantId: number;
  eventId: number;
  webhookId: number;
  eventType: string;
  status: DeliveryStatus;
  cancelReason: CancelReason | null;
  attemptCount: number;
  attemptsBefore: number;
  dueAt: Date;
  finishedAt: Date | null;
  lastStatusCode: number | null;
  lastErrorCode: string | null;
}

const columns = `
  d.id, d.tenant_id as "tenantId", d.event_id as "eventId", d.webhook_id as "webhookId",
  d.event_type as "eventType", d.status, d.cancel_reason as "cancelReason", d.attempt_count as "attemptCount",
  d.attempts_before as "attemptsBefore", d.due_at as "dueAt", d.finished_at as "finishedAt",
  d.last_status_code as "lastStatusCode", d.last_error_code as "lastErrorCode"`;

/** Whose pages cannot be read from one index alone. */
export interface SearchDeps {
  db: Pick<Database, 'pool'>;
  searches: SearchTurns;
}

/**
 * A page of a tenant's deliveries. With no other condition than a webhook or an event it comes from one index, whatever
 * the length of the history; else it is a search, with an index for what is rare (errors, cancellations, failures).
 *
 * @throws ApiError search_timed_out, rate_limited
 */
export async function pageDeliveries(
  { db, searches }: SearchDeps,
  tenantId: number,
  { webhookId, eventId, ...rest }: DeliveryConditions,
  { above, below, order, limit }: Bounds,
): Promise<DeliveryRow[]> {
  const conditions = new Conditions();
  const page = [tenantId, above, below, limit].map((value) => conditions.place(value));
  if (webhookId !== undefined) {
    conditions.add(`d.webhook_id = ${conditions.place(webhookId)}`);
  }
  if (eventId !== undefined) {
    conditions.add(`d.event_id = ${conditions.place(eventId)}`);
  }
  const isSearch = addConditions(conditions, rest);
  const text = `
    select ${columns} from hookwright.deliveries d
    where d.tenant_id = ${page[0]} and d.id > ${page[1]} and d.id < ${page[2]} ${conditions.sql}
    order by d.id ${order} limit ${page[3]}`;
  if (isSearch || eventId !== undefined) {
    return searches.run(tenantId, () =>
      boundedQuery(db, tenantId, text, conditions.values, searches.timeoutMs),
    );
  }
  const name = `page_deliveries_of_${webhookId === undefined ? 'tenant' : 'webhook'}_${order}`;
  return tenantQuery<DeliveryRow>(db.pool, tenantId, { name, text }, conditions.values);
}

/** Each webhook's page comes from the index (webhook_id, id), whatever the length of its history. */
const byWebhooks = (order: 'asc' | 'desc', where: string): string => `
  select page.* from unnest($1::bigint[]) as wanted(webhook_id)
  cross join lateral (
    select ${columns} from hookwright.deliveries d
    where d.tenant_id = $2 and d.webhook_id = wanted.webhook_id and d.id > $3 and d.id < $4 ${where}
    order by d.id ${order} limit $5
  ) page
  order by page.id ${order}`;

const unfiltered = (order: 'asc' | 'desc'): Statement => ({
  name: `page_deliveries_${order}`,
  text: byWebhooks(order, ''),
});
const statements = { asc: unfiltered('asc'), desc: unfiltered('desc') };

/**
 * The same page of several webhooks' deliveries, in one query.
 *
 * @throws ApiError search_timed_out, rate_limited
 */
export async function pageDeliveriesByWebhook(
  { db, searches }: SearchDeps,
  tenantId: number,
  webhookIds: readonly number[],
  filter: Omit<DeliveryConditions, 'webhookId' | 'eventId'>,
  { above, below, order, limit }: Bounds,
): Promise<DeliveryRow[]> {
  const conditions = new Conditions();
  for (const value of [[...webhookIds], tenantId, above, below, limit]) {
    conditions.place(value);
  }
  if (!addConditions(conditions, filter)) {
    return tenantQuery<DeliveryRow>(db.pool, tenantId, statements[order], conditions.values);
  }
  const text = byWebhooks(order, conditions.sql);
  return searches.run(tenantId, () =>
    boundedQuery(db, tenantId, text, conditions.values, searches.timeoutMs),
  );
}

/** @returns whether there were any */
function addConditions(conditions: Conditions, filter: DeliveryConditions): boolean {
  const { status, eventType, statusClass, errorCode, payloadContains } = filter;
  if (status !== undefined) {
    // Partial indexes are found by a constant in the text, or by a plan for the value.
    conditions.add(`d.status = ${conditions.place(status)}::hookwright.delivery_status`);
  }
  if (eventType !== undefined) {
    conditions.add(`d.event_type = ${conditions.place(eventType)}`);
  }
  if (errorCode !== undefined) {
    conditions.add(`d.last_error_code = ${conditions.place(errorCode)}`);
  }
  if (statusClass !== undefined) {
    addStatusClass(conditions, statusClass);
  }
  if (payloadContains !== undefined) {
    // A part of a text, not a pattern: nothing in it means anything to Postgres.
    const part = conditions.place(payloadContains);
    conditions.add(`strpos((select e.body from hookwright.events e where e.id = d.event_id), ${part}) > 0`);
  }
  return Object.values(filter).some((value) => value !== undefined);
}

/** An answer of another class than 2 is an error, and errors have an index. */
function addStatusClass(conditions: Conditions, statusClass: StatusClass): void {
  if (statusClass !== 2) {
    conditions.add('d.last_error_code is not null');
  }
  if (statusClass === 0) {
    conditions.add('d.last_status_code is null');
  } else {
    conditions.add(`d.last_status_code >= ${conditions.place(statusClass * 100)}`);
    conditions.add(`d.last_status_code < ${conditions.place(statusClass * 100 + 100)}`);
  }
}
