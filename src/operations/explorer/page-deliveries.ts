import { IDS_PER_DAY } from '../../domain/ids/delivery-id.js';
import { snakeCase } from '../../domain/text/snake-case.js';
import { Delivery, type DeliveryStatus } from '../../entities/delivery.js';
import { type Bounds, ofEventSql, PageConditions, readPage } from './page.js';
import type { SearchDeps } from './search.js';

/** The response to the latest attempt of a delivery: 0 for none, else the first digit of the status. */
export const STATUS_CODE_CLASSES = { HTTP_2XX: 2, HTTP_3XX: 3, HTTP_4XX: 4, HTTP_5XX: 5, NO_ANSWER: 0 } as const;
export type StatusCodeClass = keyof typeof STATUS_CODE_CLASSES;
type StatusClass = (typeof STATUS_CODE_CLASSES)[StatusCodeClass];

/** All given conditions apply. */
export interface DeliveryConditions {
  webhookId?: number | undefined;
  eventId?: number | undefined;
  status?: DeliveryStatus | undefined;
  eventType?: string | undefined;
  statusClass?: StatusClass | undefined;
  errorCode?: string | undefined;
  /** The latest attempt failed. */
  lastAttemptFailed?: true | undefined;
  /** It was attempted, and will be attempted again. */
  retrying?: true | undefined;
  /** A part of the event's body, letter by letter. */
  payloadContains?: string | undefined;
}

const properties = [
  'id',
  'tenantId',
  'eventId',
  'webhookId',
  'eventType',
  'status',
  'cancelReason',
  'attemptCount',
  'attemptsBefore',
  'orderingKey',
  'dueAt',
  'settlingSince',
  'supersededBy',
  'finishedAt',
  'lastStatusCode',
  'lastErrorCode',
  'isCheck',
] as const satisfies (keyof Delivery)[];
const columns = properties.map((name) => `d.${snakeCase(name)} as "${name}"`).join(', ');

type PageRow = Pick<Delivery, (typeof properties)[number]>;
const entities = (rows: PageRow[]) => rows.map((row) => Object.assign(new Delivery(), row));

/**
 * A page of a tenant's deliveries. With no other condition than a webhook it comes from one index, whatever the length
 * of the history; else it is a search, with indexes for rare ones: failures, errors, cancellations, open ones.
 *
 * @throws ApiError search_timed_out, rate_limited
 */
export async function pageDeliveries(
  deps: SearchDeps,
  tenantId: number,
  filter: DeliveryConditions,
  bounds: Bounds,
): Promise<Delivery[]> {
  const { webhookId, eventId, ...rest } = filter;
  const isSearch = isAny(rest) || eventId !== undefined;
  if (webhookId !== undefined && !isSearch) {
    return pageDeliveriesByWebhook(deps, tenantId, [webhookId], rest, bounds);
  }
  const conditions = new PageConditions(tenantId, bounds);
  addConditions(conditions, filter, bounds);
  const status = openOfTenant(filter);
  const text =
    status !== null
      ? `with ${fewOpenSql(status)}
         (select ${columns} from few d where ${ARE_FEW} ${conditions.sql} order by d.id ${bounds.order} limit $4)
         union all
         (${byWebhooksSql(WEBHOOKS_OF_MANY, bounds, conditions)} limit $4)
         order by id ${bounds.order} limit $4`
      : `select ${columns} from ${deliveriesIn(rest.status)}
         where d.tenant_id = $1 and d.id > $2 and d.id < $3 ${conditions.sql}
         order by d.id ${bounds.order} limit $4`;
  const name = `page_deliveries_of_tenant_${bounds.order}`;
  return entities(await readPage(deps, conditions, { name, text, isSearch }));
}

/** The same page of several webhooks' deliveries, in one query. */
export async function pageDeliveriesByWebhook(
  deps: SearchDeps,
  tenantId: number,
  webhookIds: readonly number[],
  filter: Omit<DeliveryConditions, 'webhookId' | 'eventId'>,
  bounds: Bounds,
): Promise<Delivery[]> {
  const conditions = new PageConditions(tenantId, bounds);
  const given = `unnest(${conditions.param([...webhookIds])}::bigint[])`;
  addConditions(conditions, filter, bounds);
  const text = byWebhooksSql(given, bounds, conditions, deliveriesIn(filter.status));
  const name = `page_deliveries_${bounds.order}`;
  return entities(await readPage(deps, conditions, { name, text, isSearch: isAny(filter) }));
}

/** The same page of several events' deliveries, in one query. */
export async function pageDeliveriesByEvent(
  deps: SearchDeps,
  tenantId: number,
  eventIds: readonly number[],
  bounds: Bounds,
): Promise<Delivery[]> {
  const conditions = new PageConditions(tenantId, bounds);
  // An event has few deliveries: all are read by the event's index and then sorted. Otherwise the planner might walk
  // through days by id to find them.
  const text = `
    select page.* from unnest(${conditions.param([...eventIds])}::bigint[]) as wanted(event_id)
    cross join lateral (
      with own as materialized (
        select ${columns} from hookwright.deliveries d
        where ${ofEventSql('d', 'wanted.event_id')} and (d.tenant_id = $1) is true)
      select * from own where id > $2 and id < $3 order by id ${bounds.order} limit $4
    ) page
    order by page.id ${bounds.order}`;
  const name = `page_deliveries_by_event_${bounds.order}`;
  return entities(await readPage(deps, conditions, { name, text, isSearch: false }));
}

const isAny = (filter: DeliveryConditions) => Object.values(filter).some((value) => value !== undefined);

/** Each webhook's page comes from an index of its own, whatever the length of its history. */
const byWebhooksSql = (
  webhooks: string,
  { order }: Bounds,
  { sql }: PageConditions,
  deliveries = deliveriesIn(undefined),
): string => `
  select page.* from ${webhooks} as wanted(webhook_id)
  cross join lateral (
    select ${columns} from ${deliveries}
    where d.tenant_id = $1 and d.webhook_id = wanted.webhook_id and d.id > $2 and d.id < $3 ${sql}
    order by d.id ${order} limit $4
  ) page
  order by page.id ${order}`;

/** SQL: where deliveries `d` of a tenant ($1) between two ids ($2, $3) are found. Those that wait stand in queues. */
export const deliveriesIn = (status: DeliveryStatus | undefined): string =>
  status === 'WAITING'
    ? `hookwright.ordering_queue q join hookwright.deliveries d
         on d.id = q.delivery_id and q.tenant_id = $1 and q.delivery_id > $2 and q.delivery_id < $3`
    : 'hookwright.deliveries d';

/** So many open deliveries of a tenant are read in one walk through the index of their state. */
const FEW_OPEN = 2_500;

/**
 * Open deliveries have an index by webhook alone: one by tenant would be written twice for every delivery. Webhooks
 * that were deleted more than a day ago have no open ones.
 */
const webhooksWithOpen = `(
  select id from hookwright.webhooks where tenant_id = $1 and deleted_at is null
  union all
  select id from hookwright.webhooks where tenant_id = $1 and deleted_at > now() - interval '1 day')`;

/** @returns the state whose index is asked, of a filter for open deliveries of all webhooks; null for another filter */
export function openOfTenant(filter: DeliveryConditions): 'PENDING' | 'HELD' | null {
  const status = filter.retrying ? 'PENDING' : filter.status;
  const isOfAll = filter.webhookId === undefined && filter.eventId === undefined;
  return isOfAll && (status === 'PENDING' || status === 'HELD') ? status : null;
}

/**
 * SQL, a common table expression: all open deliveries of a tenant between the ids $2 and $3, if these are few
 * (`ARE_FEW`). A tenant may have many webhooks, each with hardly any, and a look for each webhook in each day is dear.
 */
export const fewOpenSql = (status: 'PENDING' | 'HELD'): string => `few as materialized (
  select d.* from hookwright.deliveries d
  where d.webhook_id = any(array(select id from ${webhooksWithOpen} own order by id)) and d.status = '${status}'
    and d.tenant_id = $1 and d.id > $2 and d.id < $3 limit ${FEW_OPEN})`;
export const ARE_FEW = `(select count(*) < ${FEW_OPEN} from few)`;
/** SQL: the webhooks whose open deliveries are looked for one by one; none if these are few. */
export const WEBHOOKS_OF_MANY = `(select id from ${webhooksWithOpen} own where not ${ARE_FEW})`;

/** Adds the conditions of a filter for rows `d` of deliveries. */
export function addConditions(
  conditions: PageConditions,
  filter: DeliveryConditions,
  { above, below }: Pick<Bounds, 'above' | 'below'>,
): void {
  conditions.and(filter.webhookId, (id) => `d.webhook_id = ${id}`);
  conditions.and(filter.eventId, (id) => ofEventSql('d', id));
  conditions.and(filter.status, (status) => `d.status = ${status}::hookwright.delivery_status`);
  conditions.and(filter.eventType, (type) => `d.event_type = ${type}`);
  conditions.and(filter.errorCode, (code) => `d.last_error_code = ${code}`);
  if (filter.lastAttemptFailed) {
    conditions.sql += ' and d.last_error_code is not null';
  }
  if (filter.retrying) {
    conditions.sql += ` and d.status = 'PENDING' and d.attempt_count > 0`;
  }
  if (filter.statusClass !== undefined) {
    conditions.sql += ` and ${statusClassSql(filter.statusClass)}`;
  }
  // A part of a text, not a pattern. Most events are as old as their deliveries, so only their days are opened for each
  // row, and one day around, since clocks may be set back; a delivery of an older event is rare, and opens all days.
  conditions.and(filter.payloadContains, (part) => {
    const from = conditions.param(Math.max(0, above - IDS_PER_DAY));
    const to = conditions.param(Math.min(Number.MAX_SAFE_INTEGER, below + IDS_PER_DAY));
    const body = 'select e.body from hookwright.events e where e.tenant_id = d.tenant_id and e.id = d.event_id and';
    return `strpos(coalesce((${body} e.id >= ${from} and e.id < ${to}), (${body} e.id < ${from})), ${part}) > 0`;
  });
}

function statusClassSql(digit: StatusClass): string {
  const isOfClass =
    digit === 0
      ? 'd.last_status_code is null'
      : `d.last_status_code >= ${digit * 100} and d.last_status_code < ${digit * 100 + 100}`;
  // Every class but 2 is an error, and errors have an index.
  return digit === 2 ? isOfClass : `d.last_error_code is not null and ${isOfClass}`;
}
