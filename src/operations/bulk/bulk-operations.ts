import type pg from 'pg';
import type { Database } from '../../database/database.js';
import { tenantTransaction } from '../../database/tenant-database.js';
import { dateToId, idToDate } from '../../domain/delivery-id.js';
import { globalId } from '../../domain/global-id.js';
import { matches } from '../../domain/matching.js';
import { formatTimestamp } from '../../domain/timestamp.js';
import { ApiError, invalidInput, notFound } from '../../errors.js';
import { lockFor } from '../advisory-lock.js';
import { type Actor, about, audit } from '../audit.js';
import { enqueueBulkOperation } from '../jobs/enqueue.js';
import { type BulkFilter, type BulkRange, type BulkSelection, countSelected } from './bulk-selection.js';

/** Bulk operations of one tenant that are running or paused. */
export const BULK_OPERATIONS_MAX = 5;

export interface BulkRequest extends BulkSelection {
  since: Date | null;
  /** Null, or in the future: now. */
  until: Date | null;
  /** Count only. */
  dryRun: boolean;
}

interface BulkStart {
  count: number;
  isCapped: boolean;
  /** Null after a dry run. */
  operationId: number | null;
}

/**
 * Counts what a bulk operation would do, and unless it is a dry run starts it. What it goes through is fixed here, so
 * that it ends: what is made later is not in it.
 *
 * @throws ApiError not_found for a webhook that is foreign, unknown or deleted; webhook_inactive unless it cancels;
 *   bulk_operation_limit_reached; search_timed_out when there is too much to count
 */
export async function startBulkOperation(
  db: Pick<Database, 'pool'>,
  tenantId: number,
  request: BulkRequest,
  by: Actor,
): Promise<BulkStart> {
  return tenantTransaction(db.pool, tenantId, async (client, withCommit) => {
    await requireWebhook(client, tenantId, request);
    if (!request.dryRun) {
      await requireFewOpen(client, tenantId);
    }
    const range = await freeze(client, request);
    const counted = await countSelected(client, tenantId, request, range);
    if (request.dryRun) {
      return { ...counted, operationId: null };
    }
    const filter = filterOf(request, range);
    const values = [tenantId, request.kind, request.webhookId, JSON.stringify(filter)];
    const { rows } = await client.query<{ id: number }>(
      `insert into hookwright.bulk_operations
         (tenant_id, kind, webhook_id, filter, from_id, cursor_id, to_id, total, actor, api_key_id, request_id)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) returning id`,
      [...values, range.above + 1, range.above, range.below, counted.count, by.kind, by.keyId, by.requestId],
    );
    const operationId = rows[0]!.id;
    await enqueueBulkOperation(client, { operationId, tenantId, waitedMs: 0 }, 0);
    const after = { kind: request.kind, ...filter, count: counted.count };
    withCommit(
      audit(client, by, {
        ...about('BULK_OPERATION', tenantId, operationId),
        action: 'BULK_OPERATION_STARTED',
        after,
      }),
    );
    return { ...counted, operationId };
  });
}

async function requireWebhook(client: pg.PoolClient, tenantId: number, selection: BulkSelection) {
  const { kind, webhookId } = selection;
  if (webhookId === null) {
    return;
  }
  const { rows } = await client.query<{ active: boolean; event_types: string[] }>(
    'select active, event_types from hookwright.webhooks where tenant_id = $1 and id = $2 and deleted_at is null',
    [tenantId, webhookId],
  );
  const [webhook] = rows;
  if (webhook === undefined) {
    throw notFound('webhook', webhookId);
  }
  if (!webhook.active && kind !== 'CANCEL_DELIVERIES') {
    throw new ApiError('webhook_inactive', `Webhook ${webhookId} is inactive; enable it first.`);
  }
  if (kind === 'REPLAY_EVENTS') {
    requireSubscribed(selection.filter, webhook.event_types);
  }
}

/** Named types of which none would be replayed: nobody who names them wants that. */
function requireSubscribed({ eventTypes, includeUnsubscribed }: BulkFilter, subscribed: string[]): void {
  if (eventTypes && !includeUnsubscribed && !eventTypes.some((name) => matches(subscribed, name))) {
    const detail = `are none that the webhook subscribes to (${subscribed.join(', ')}); \`includeUnsubscribed\` replays them all the same`;
    throw invalidInput([{ path: ['input', 'filter', 'eventTypes'], code: 'not_subscribed', detail }]);
  }
}

/** One start after the other, so that two at once cannot both be the last one that is allowed. */
async function requireFewOpen(client: pg.PoolClient, tenantId: number): Promise<void> {
  await lockFor(client, `bulk.${tenantId}`);
  const { rows } = await client.query<{ open: number }>(
    `select count(*)::integer as open from hookwright.bulk_operations
     where tenant_id = $1 and finished_at is null`,
    [tenantId],
  );
  if ((rows[0]?.open ?? 0) >= BULK_OPERATIONS_MAX) {
    throw new ApiError(
      'bulk_operation_limit_reached',
      `${BULK_OPERATIONS_MAX} bulk operations are running or paused, and no more are allowed at the same time.`,
    );
  }
}

/** By the clock of the database, which made the ids. */
async function freeze(client: pg.PoolClient, { since, until }: BulkRequest): Promise<BulkRange> {
  const { rows } = await client.query<{ now: number }>('select hookwright.next_id() as now');
  const now = rows[0]!.now;
  return {
    above: since === null ? -1 : dateToId(since) - 1,
    below: until === null ? now : Math.min(dateToId(until), now),
  };
}

/** As the daemon reads it and GraphQL shows it. */
function filterOf({ webhookId, filter, since }: BulkRequest, range: BulkRange): Record<string, unknown> {
  return {
    ...(webhookId === null ? {} : { webhookId: globalId('Webhook', webhookId) }),
    ...filter,
    since: since === null ? null : formatTimestamp(since),
    until: formatTimestamp(idToDate(range.below)),
  };
}

interface OpenRow {
  status: string;
  error: string | null;
  webhook_deleted: boolean;
}

async function lockOperation(client: pg.PoolClient, tenantId: number, id: number): Promise<OpenRow> {
  const { rows } = await client.query<OpenRow>(
    `select o.status, o.error, w.deleted_at is not null as webhook_deleted
     from hookwright.bulk_operations o left join hookwright.webhooks w on w.id = o.webhook_id and w.tenant_id = $1
     where o.tenant_id = $1 and o.id = $2 for update of o`,
    [tenantId, id],
  );
  const [row] = rows;
  if (row === undefined) {
    throw notFound('bulk operation', id);
  }
  return row;
}

/**
 * Ends a bulk operation after the chunk that is under way. What it has done stays done.
 *
 * @throws ApiError not_found; bulk_operation_finished
 */
export async function cancelBulkOperation(
  db: Pick<Database, 'pool'>,
  tenantId: number,
  id: number,
  by: Actor,
): Promise<void> {
  await tenantTransaction(db.pool, tenantId, async (client, withCommit) => {
    const { status } = await lockOperation(client, tenantId, id);
    if (status !== 'RUNNING' && status !== 'PAUSED') {
      throw new ApiError('bulk_operation_finished', `Bulk operation ${id} is ${status} already.`);
    }
    await client.query(
      `update hookwright.bulk_operations set status = 'CANCELED', finished_at = now() where id = $1`,
      [id],
    );
    const change = { before: { status }, after: { status: 'CANCELED' } };
    withCommit(
      audit(client, by, {
        ...about('BULK_OPERATION', tenantId, id),
        action: 'BULK_OPERATION_CANCELED',
        ...change,
      }),
    );
  });
}

/**
 * Goes on with a bulk operation that was canceled or has failed, from where it stopped.
 *
 * @throws ApiError not_found; bulk_operation_not_resumable when it is under way, has completed, or its webhook was
 *   deleted; bulk_operation_limit_reached
 */
export async function resumeBulkOperation(
  db: Pick<Database, 'pool'>,
  tenantId: number,
  id: number,
  by: Actor,
): Promise<void> {
  await tenantTransaction(db.pool, tenantId, async (client, withCommit) => {
    await requireFewOpen(client, tenantId);
    const row = await lockOperation(client, tenantId, id);
    const { status } = row;
    const why = whyNotResumable(row);
    if (why !== null) {
      throw new ApiError('bulk_operation_not_resumable', `Bulk operation ${id} ${why}`);
    }
    await client.query(
      `update hookwright.bulk_operations set status = 'RUNNING', finished_at = null, error = null where id = $1`,
      [id],
    );
    await enqueueBulkOperation(client, { operationId: id, tenantId, waitedMs: 0 }, 0);
    const change = { before: { status }, after: { status: 'RUNNING' } };
    withCommit(
      audit(client, by, {
        ...about('BULK_OPERATION', tenantId, id),
        action: 'BULK_OPERATION_RESUMED',
        ...change,
      }),
    );
  });
}

/** @returns null: it can be resumed */
function whyNotResumable({ status, error, webhook_deleted }: OpenRow): string | null {
  if (!['CANCELED', 'FAILED'].includes(status)) {
    return `is ${status}; only one that is CANCELED or FAILED can be resumed.`;
  }
  if (status === 'CANCELED' && error !== null) {
    return `was ended: ${error}`;
  }
  return webhook_deleted ? 'cannot go on: its webhook was deleted.' : null;
}

/** Deletes operations that ended longer ago than deliveries are kept: nothing of what they went through is left. */
export async function forgetBulkOperations(pool: pg.Pool, retentionDays: number): Promise<void> {
  await pool.query(
    `delete from hookwright.bulk_operations where finished_at < now() - $1 * interval '1 day'`,
    [retentionDays],
  );
}
