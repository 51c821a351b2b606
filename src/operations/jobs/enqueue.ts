import { query, type SqlTarget } from '../../database/database.js';
import type { BulkPayload, Woken } from './tasks.js';

/** Jobs are added by the functions `hookwright.enqueue_…`, here as in the statements elsewhere. */

/**
 * Has a webhook's open deliveries brought in line with it, once this is committed. One such job waits per webhook.
 *
 * @param woken what an earlier job has done of it; a job that waits and has more to do keeps its work
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

/** As `enqueueAlign`, for many webhooks of a tenant. */
export async function enqueueAligns(client: SqlTarget, tenantId: number, webhookIds: readonly number[]): Promise<void> {
  const text = 'select hookwright.enqueue_align(id, $1, null, null, 0) from unnest($2::bigint[]) as id';
  await query(client, { text }, [tenantId, webhookIds]);
}

/** Has the next chunk of a bulk operation done. It has one job: this one takes the place of another that waits. */
export async function enqueueBulkOperation(
  client: SqlTarget,
  { operationId, tenantId, waitedMs }: BulkPayload,
  inMs: number,
): Promise<void> {
  const text = 'select hookwright.enqueue_bulk_operation($1, $2, $3, $4)';
  await query(client, { name: 'enqueue_bulk_operation', text }, [operationId, tenantId, inMs, waitedMs]);
}
