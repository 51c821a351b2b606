import type { Database } from '../../database/database.js';
import { tenantQuery } from '../../database/tenant-database.js';
import { IDS_PER_DAY } from '../../domain/ids/delivery-id.js';
import type { CancelReason, DeliveryStatus } from '../../entities/delivery.js';
import { isOpen } from '../deliveries/delivery-state.js';
import { ofEventSql } from './of-event.js';
import { type Bounds, Conditions, type SearchDeps, search } from './search.js';

/**
 * What the latest attempt of a delivery was answered with: 0 for no answer at all, else the first digit of the status.
 */
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
interface DeliveryRow {
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

/**
 * A page of a tenant's deliveries. With no other condition than a webhook it comes from one index, whatever the length
 * of the history; else it is a search, with an index for what is rare: failures, errors, cancellations, what is open.
 *
 * @throws ApiError search_timed_out, rate_limited
 */
export async function pageDeliveries(
  deps: SearchDeps,
  tenantId: number,
  filter: DeliveryConditions,
  bounds: Bounds,
): Promise<DeliveryRow[]> {
  const { webhookId, eventId, ...rest } = filter;
  const isSearch = isAny(rest) || eventId !== undefined;
  if (webhookId !== undefined && !isSearch) {
    return pageDeliveriesByWebhook(deps, tenantId, [webhookId], rest, bounds);
  }
  const conditions = boundsIn(tenantId, bounds);
  addConditions(conditions, filter, bounds);
  if (!isSearch) {
    const statement = {
      name: `page_deliveries_of_tenant_${bounds.order}`,
      text: pageSql(bounds, conditions),
    };
    return tenantQuery<DeliveryRow>(deps.db.pool, tenantId, statement, conditions.values);
  }
  const text =
    isOpen(rest.status) && webhookId === undefined && eventId === undefined
      ? `${byWebhooksSql(webhooksWithOpen, bounds, conditions)} limit $4`
      : pageSql(bounds, conditions);
  return search(deps, tenantId, text, conditions.values);
}

/**
 * The same page of several webhooks' deliveries, in one query.
 *
 * @throws ApiError search_timed_out, rate_limited
 */
export async function pageDeliveriesByWebhook(
  deps: SearchDeps,
  tenantId: number,
  webhookIds: readonly number[],
  filter: Omit<DeliveryConditions, 'webhookId' | 'eventId'>,
  bounds: Bounds,
): Promise<DeliveryRow[]> {
  const conditions = boundsIn(tenantId, bounds);
  const given = `unnest(${conditions.place([...webhookIds])}::bigint[])`;
  addConditions(conditions, filter, bounds);
  const text = byWebhooksSql(given, bounds, conditions);
  if (isAny(filter)) {
    return search(deps, tenantId, text, conditions.values);
  }
  const statement = { name: `page_deliveries_${bounds.order}`, text };
  return tenantQuery<DeliveryRow>(deps.db.pool, tenantId, statement, conditions.values);
}

/** The same page of several events' deliveries, in one query. */
export async function pageDeliveriesByEvent(
  db: Pick<Database, 'pool'>,
  tenantId: number,
  eventIds: readonly number[],
  bounds: Bounds,
): Promise<DeliveryRow[]> {
  const conditions = boundsIn(tenantId, bounds);
  const given = `unnest(${conditions.place([...eventIds])}::bigint[])`;
  const statement = {
    name: `page_deliveries_by_event_${bounds.order}`,
    text: byEventsSql(given, bounds),
  };
  return tenantQuery<DeliveryRow>(db.pool, tenantId, statement, conditions.values);
}

const isAny = (filter: DeliveryConditions) => Object.values(filter).some((value) => value !== undefined);

/** `$1` to `$4` of all these statements: tenant, above, below, limit. */
function boundsIn(tenantId: number, { above, below, limit }: Bounds): Conditions {
  const conditions = new Conditions();
  for (const value of [tenantId, above, below, limit]) {
    conditions.place(value);
  }
  return conditions;
}

const pageSql = ({ order }: Bounds, { sql }: Conditions): string => `
  select ${columns} from hookwright.deliveries d
  where d.tenant_id = $1 and d.id > $2 and d.id < $3 ${sql}
  order by d.id ${order} limit $4`;

/** Each webhook's page comes from an index of its own, whatever the length of its history. */
const byWebhooksSql = (webhooks: string, { order }: Bounds, { sql }: Conditions): string => `
  select page.* from ${webhooks} as wanted(webhook_id)
  cross join lateral (
    select ${columns} from hookwright.deliveries d
    where d.tenant_id = $1 and d.webhook_id = wanted.webhook_id and d.id > $2 and d.id < $3 ${sql}
    order by d.id ${order} limit $4
  ) page
  order by page.id ${order}`;

/**
 * An event has some deliveries for each webhook: all are read by the event's index and then put in order, lest the
 * planner walk through days by id to find them.
 */
const byEventsSql = (events: string, { order }: Bounds): string => `
  select page.* from ${events} as wanted(event_id)
  cross join lateral (
    with own as materialized (
      select ${columns} from hookwright.deliveries d
      where ${ofEventSql('d', 'wanted.event_id')} and (d.tenant_id = $1) is true)
    select * from own where id > $2 and id < $3 order by id ${order} limit $4
  ) page
  order by page.id ${order}`;

/**
 * What is open has an index by webhook alone: one by tenant would cost every delivery twice, when it comes and when it
 * has succeeded. Of webhooks that were deleted longer ago nothing is open any more.
 */
const webhooksWithOpen = `(
  select id from hookwright.webhooks where tenant_id = $1 and deleted_at is null
  union all
  select id from hookwright.webhooks where tenant_id = $1 and deleted_at > now() - interval '1 day')`;

function addConditions(conditions: Conditions, filter: DeliveryConditions, bounds: Bounds): void {
  const { webhookId, eventId, status, eventType, statusClass, errorCode, payloadContains } = filter;
  if (webhookId !== undefined) {
    conditions.add(`d.webhook_id = ${conditions.place(webhookId)}`);
  }
  if (eventId !== undefined) {
    conditions.add(ofEventSql('d', conditions.place(eventId)));
  }
  if (status !== undefined) {
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
    addPayloadPart(conditions, payloadContains, bounds);
  }
}

/**
 * A part of a text, not a pattern: nothing in it means anything to Postgres. Most events are as old as their
 * deliveries, so their days alone are opened for each row, and one day around, since clocks may be set back; a delivery
 * of an older one is rare, and looks in all days.
 */
function addPayloadPart(conditions: Conditions, part: string, { above, below }: Bounds): void {
  const from = conditions.place(Math.max(0, above - IDS_PER_DAY));
  const to = conditions.place(Math.min(Number.MAX_SAFE_INTEGER, below + IDS_PER_DAY));
  const body = 'select e.body from hookwright.events e where e.tenant_id = d.tenant_id and e.id = d.event_id and';
  conditions.add(
    `strpos(coalesce((${body} e.id >= ${from} and e.id < ${to}), (${body} e.id < ${from})), ${conditions.place(part)}) > 0`,
  );
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
