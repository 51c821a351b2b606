import type { Database, Statement } from '../database.js';
import type { CancelReason, DeliveryStatus } from '../entities/delivery.js';
import { tenantQuery } from '../tenant-database.js';

/** Which deliveries of each webhook: ids strictly between the bounds, at most `limit` in this order. */
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

/** Each webhook's page comes from the index (webhook_id, id), whatever the length of its history. */
const statement = (order: 'asc' | 'desc'): Statement => ({
  name: `page_deliveries_${order}`,
  text: `select page.* from unnest($2::bigint[]) as wanted(webhook_id)
         cross join lateral (
           select id, tenant_id as "tenantId", event_id as "eventId", webhook_id as "webhookId",
                  event_type as "eventType", status, cancel_reason as "cancelReason", attempt_count as "attemptCount",
                  attempts_before as "attemptsBefore", due_at as "dueAt", finished_at as "finishedAt",
                  last_status_code as "lastStatusCode", last_error_code as "lastErrorCode"
           from hookwright.deliveries d
           where d.tenant_id = $1 and d.webhook_id = wanted.webhook_id and d.id > $3 and d.id < $4
             and ($5::hookwright.delivery_status is null or d.status = $5)
             and ($6::text is null or d.event_type = $6)
           order by d.id ${order} limit $7
         ) page
         order by page.id ${order}`,
});

const statements = { asc: statement('asc'), desc: statement('desc') };

/** The same page of several webhooks' deliveries, in one query. */
export function pageDeliveries(
  db: Pick<Database, 'pool'>,
  tenantId: number,
  webhookIds: readonly number[],
  { status, eventType, above, below, order, limit }: DeliveryPage,
): Promise<DeliveryRow[]> {
  const values = [tenantId, [...webhookIds], above, below, status, eventType, limit];
  return tenantQuery<DeliveryRow>(db.pool, tenantId, statements[order], values);
}
