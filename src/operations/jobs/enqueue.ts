import { query, type SqlTarget } from '../../platform/database/database.js';
import type { BulkPayload, DefaultsPayload, Woken } from './tasks.js';

/**
 * Adds the job that aligns a webhook's open deliveries, once this is committed. One such job waits per webhook.
 *
 * @param woken the progress of an earlier job; a waiting job that has more to do keeps its work
 */
export async function enqueueAlign(
  client: SqlTarget,
  tenantId: number,
  webhookId: number,
  { wokenTo, putOffBefore }: Partial<Woken> = {},
  inMs = 0,
): Promise<void> {
  const text = 'select hookwright.enqueue_align($1, $2, $3, $4, $5)';
  await query(client, { name: 'enqueue_align', text }, [webhookId, tenantId, wokenTo, putOffBefore, inMs]);
}

/** Adds such a job for each of a tenant's webhooks that has open deliveries, which are found in one walk. */
export async function enqueueAligns(client: SqlTarget, tenantId: number, webhookIds: readonly number[]): Promise<void> {
  const text = `
    select hookwright.enqueue_align(id, $1, null, null, 0)
    from (select webhook_id as id from hookwright.deliveries where status = 'PENDING' and webhook_id = any($2::bigint[])
          union select webhook_id from hookwright.deliveries where status = 'HELD' and webhook_id = any($2::bigint[])
          union select webhook_id from hookwright.ordering_queue where tenant_id = $1) open`;
  await query(client, { name: 'enqueue_aligns', text }, [tenantId, webhookIds]);
}

/** Adds the job by which the webhooks of a tenant follow its defaults. It does the work of a waiting one too. */
export async function enqueueDefaults(
  client: SqlTarget,
  { tenantId, after }: DefaultsPayload,
  inMs = 0,
): Promise<void> {
  const text = 'select hookwright.enqueue_defaults($1, $2, $3)';
  await query(client, { name: 'enqueue_defaults', text }, [tenantId, after, inMs]);
}

/** Adds the job for the next chunk of a bulk operation. It replaces a waiting one. */
export async function enqueueBulkOperation(
  client: SqlTarget,
  { operationId, tenantId, waitedMs }: BulkPayload,
  inMs: number,
): Promise<void> {
  const text = 'select hookwright.enqueue_bulk_operation($1, $2, $3, $4)';
  await query(client, { name: 'enqueue_bulk_operation', text }, [operationId, tenantId, inMs, waitedMs]);
}
