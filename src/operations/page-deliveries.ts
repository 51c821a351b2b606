import type { Database, Statement } from '../database.js';
import { type CancelReason, DeliveryStatus } from '../entities/delivery.js';
import { tenantQuery } from '../tenant-database.js';

/** Which deliveries: ids strictly between the bounds, at most `limit` in this order. */
export interface DeliveryPage {
  status: DeliveryStatus | null;
  eventType: string | null;
  above: number;
  below: number;
  order: 'asc' | 'desc';
  limit: number;
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

const COLUMNS = `
  d.id, d.tenant_id as "tenantId", d.event_id as "eventId", d.webhook_id as "webhookId", d.event_type as "eventType",
  d.status, d.cancel_reason as "cancelReason", d.attempt_count as "attemptCount",
  d.attempts_before as "attemptsBefore", d.due_at as "dueAt", d.finished_at as "finishedAt",
  d.last_status_code as "lastStatusCode", d.last_error_code as "lastErrorCode"`;

/** The state stands in the text, not in a parameter, so that the planner sees which partial index holds it. */
const page = ({ status, order }: DeliveryPage, where: string) => `
  select ${COLUMNS} from hookwright.deliveries d
  where d.tenant_id = $1 and ${where} and d.id > $2 and d.id < $3 and ($4::text is null or d.event_type = $4)
    ${status === null ? '' : `and d.status = '${status}'`}
  order by d.id ${order} limit $5`;

const name = (of: string, { status, order }: DeliveryPage) =>
  `page_deliveries_${of}_${status ?? 'any'}_${order}`.toLowerCase();

/** Each webhook's page comes from an index (webhook_id, id), whatever the length of its history. */
const ofWebhooks = (wanted: DeliveryPage): Statement => ({
  name: name('webhooks', wanted),
  text: `select page.* from unnest($6::bigint[]) as wanted(webhook_id)
         cross join lateral (${page(wanted, 'd.webhook_id = wanted.webhook_id')}) page
         order by page.id ${wanted.order}`,
});

const ofTenant = (wanted: DeliveryPage): Statement => ({
  name: name('tenant', wanted),
  text: page(wanted, 'true'),
});

/**
 * Pending and held ones have an index by webhook alone, because every emit pays for an index. A deleted webhook's are
 * canceled within moments.
 */
const openOfTenant = (wanted: DeliveryPage): Statement => ({
  name: name('open', wanted),
  text: `select page.* from hookwright.webhooks w
         cross join lateral (${page(wanted, 'd.webhook_id = w.id')}) page
         where w.tenant_id = $1 and (w.deleted_at is null or w.deleted_at > now() - interval '1 day')
         order by page.id ${wanted.order} limit $5`,
});

/**
 * Failed and canceled ones have an index of their own. With parameters in place of these numbers the planner takes any
 * bounds for narrow ones, and walks through all ids instead: seconds, where nothing has failed.
 */
const rareOfTenant = (tenantId: number, wanted: DeliveryPage): Statement => {
  const values = [tenantId, wanted.above, wanted.below, 'event type', wanted.limit].map(Number);
  const text = page(wanted, 'true').replace(/\$([1235])\b/g, (_, place) => String(values[place - 1]));
  return { text: text.replaceAll('$4', '$1') };
};

const valuesOf = (tenantId: number, { above, below, eventType, limit }: DeliveryPage) => [
  tenantId,
  above,
  below,
  eventType,
  limit,
];

/** The same page of several webhooks' deliveries, in one query. */
export function pageDeliveries(
  db: Pick<Database, 'pool'>,
  tenantId: number,
  webhookIds: readonly number[],
  wanted: DeliveryPage,
): Promise<DeliveryRow[]> {
  const values = [...valuesOf(tenantId, wanted), [...webhookIds]];
  return tenantQuery<DeliveryRow>(db.pool, tenantId, ofWebhooks(wanted), values);
}

/** A page of all of a tenant's deliveries. */
export function pageTenantDeliveries(
  db: Pick<Database, 'pool'>,
  tenantId: number,
  wanted: DeliveryPage,
): Promise<DeliveryRow[]> {
  const isOpen = wanted.status === DeliveryStatus.PENDING || wanted.status === DeliveryStatus.HELD;
  if (wanted.status === DeliveryStatus.FAILED || wanted.status === DeliveryStatus.CANCELED) {
    return tenantQuery<DeliveryRow>(db.pool, tenantId, rareOfTenant(tenantId, wanted), [wanted.eventType]);
  }
  const statement = isOpen ? openOfTenant(wanted) : ofTenant(wanted);
  return tenantQuery<DeliveryRow>(db.pool, tenantId, statement, valuesOf(tenantId, wanted));
}
