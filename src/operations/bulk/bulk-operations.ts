import { type EntityManager, LockMode } from '@mikro-orm/postgresql';
import { matches } from '../../domain/events/event-type.js';
import { CELL_WINDOW_MS_MAX } from '../../domain/ids/cell.js';
import { dateToId, IDS_PER_MS, idToDate } from '../../domain/ids/delivery-id.js';
import { globalId } from '../../domain/ids/global-id.js';
import { formatTimestamp } from '../../domain/text/timestamp.js';
import type { AuditActor } from '../../entities/audit-entry.js';
import { type BulkKind, BulkOperation, BulkStatus } from '../../entities/bulk-operation.js';
import { Webhook } from '../../entities/webhook.js';
import { ApiError, found, refusedInput } from '../../errors.js';
import type { HasOrm, HasPool, SqlTarget } from '../../platform/database/database.js';
import { tenantTransaction } from '../../platform/database/tenant-database.js';
import { readOwnCell } from '../cells/own-cell.js';
import { enqueueBulkOperation } from '../jobs/enqueue.js';
import { inactive } from '../proofs/inactive.js';
import { lockFor } from '../rows/advisory-lock.js';
import { idOfNow } from '../rows/allocate-id.js';
import { type Actor, about, audit } from '../rows/audit.js';
import { managementTransaction } from '../rows/unit-of-work.js';
import type { BulkFilter, BulkRange, BulkSelection } from './bulk-filter.js';
import { countSelected } from './bulk-selection.js';

/** Bulk operations of one tenant that are running or paused. */
export const BULK_OPERATIONS_MAX = 5;

export interface BulkRequest extends BulkSelection {
  since: Date | null;
  /** Null, or in the future: now. */
  until: Date | null;
  /** A replay of this one event; the times do not count. */
  eventId?: number | null;
  /** Count only. */
  dryRun: boolean;
}

interface BulkStart {
  count: number;
  /** Deliveries that match, but whose webhook is inactive or deleted. */
  leftOut: number;
  isCapped: boolean;
  /** Null after a dry run. */
  operation: BulkOperation | null;
}

/**
 * Counts the rows of a bulk operation, and starts it unless this is a dry run. Its range is fixed here, so that it
 * ends.
 *
 * @throws ApiError not_found for a webhook that is foreign, unknown or deleted; webhook_inactive or
 *   webhook_unverified unless it cancels;
 *   bulk_operation_limit_reached; search_timed_out when there is too much to count
 */
export async function startBulkOperation(
  db: HasPool & HasOrm,
  tenantId: number,
  request: BulkRequest,
  by: Actor,
): Promise<BulkStart> {
  return await managementTransaction(db, tenantId, async ({ em, sql }) => {
    await requireWebhook(em, request);
    if (!request.dryRun) {
      await requireFewOpen(em, sql, tenantId);
    }
    const range = await freeze(sql, request);
    // On a connection for hot statements: its sessions are set for this search (session-url.ts).
    const counted = await tenantTransaction(db.pool, tenantId, (client) =>
      countSelected(client, tenantId, request, range),
    );
    if (request.dryRun) {
      return { ...counted, operation: null };
    }
    const filter = filterOf(request, range);
    const operation = em.create(BulkOperation, {
      tenantId,
      kind: request.kind as BulkKind,
      webhookId: request.webhookId,
      filter: JSON.stringify(filter),
      fromId: range.above + 1,
      cursorId: range.above,
      toId: range.below,
      total: counted.count,
      actor: by.kind as AuditActor,
      apiKeyId: by.keyId,
      requestId: by.requestId,
    });
    await em.flush();
    const operationId = operation.id;
    await enqueueBulkOperation(sql, { operationId, tenantId, waitedMs: 0 }, 0);
    const after = { kind: request.kind, ...filter, count: counted.count };
    audit(em, by, { ...about('BULK_OPERATION', tenantId, operationId), action: 'BULK_OPERATION_STARTED', after });
    return { ...counted, operation };
  });
}

async function requireWebhook(em: EntityManager, selection: BulkSelection): Promise<void> {
  const { kind, webhookId } = selection;
  if (webhookId === null) {
    return;
  }
  const webhook = found(await em.findOne(Webhook, { id: webhookId }), 'webhook', webhookId);
  if (!webhook.active && kind !== 'CANCEL_DELIVERIES') {
    throw inactive(`Webhook ${webhookId} is inactive; enable it first`, webhookId, webhook.disabledReason);
  }
  if (kind === 'REPLAY_EVENTS') {
    requireSubscribed(selection.filter, webhook.eventTypes);
  }
}

/** Refuses named types of which none would be replayed. */
function requireSubscribed({ eventTypes, includeUnsubscribed }: BulkFilter, subscribed: string[]): void {
  if (eventTypes && !includeUnsubscribed && !eventTypes.some((name) => matches(subscribed, name))) {
    const detail = `are none that the webhook subscribes to (${subscribed.join(', ')}); \`includeUnsubscribed\` replays them all the same`;
    throw refusedInput(['filter', 'eventTypes'], 'not_subscribed', detail);
  }
}

/** Locks, so that two starts at once cannot both be the last one allowed. */
export async function requireFewOpen(em: EntityManager, sql: SqlTarget, tenantId: number): Promise<void> {
  await lockFor(sql, `bulk.${tenantId}`);
  if ((await em.count(BulkOperation, { finishedAt: null })) >= BULK_OPERATIONS_MAX) {
    throw new ApiError(
      'bulk_operation_limit_reached',
      `${BULK_OPERATIONS_MAX} bulk operations are running or paused, and no more are allowed at the same time.`,
    );
  }
}

/** Computes ids by the database's clock, which made them. */
export async function freeze(
  sql: SqlTarget,
  { since, until, eventId = null }: Pick<BulkRequest, 'since' | 'until' | 'eventId'>,
): Promise<BulkRange> {
  if (typeof eventId === 'number') {
    return { above: eventId - 1, below: eventId + 1 };
  }
  const now = await idAbove(sql);
  return {
    above: since === null ? -1 : dateToId(since) - 1,
    below: until === null ? now : Math.min(dateToId(until), now),
  };
}

/**
 * Above all ids of now. With cells it is the beginning of the longest window: nothing that is made from now on is below
 * it, and what was made a moment ago may be above it.
 */
async function idAbove(sql: SqlTarget): Promise<number> {
  const now = await idOfNow(sql);
  return (await readOwnCell(sql)) === null ? now + IDS_PER_MS : now - (now % (CELL_WINDOW_MS_MAX * IDS_PER_MS));
}

/** The filter for the daemon and for GraphQL. */
function filterOf({ webhookId, filter, since, eventId }: BulkRequest, range: BulkRange): Record<string, unknown> {
  return {
    ...(webhookId === null ? {} : { webhookId: globalId('Webhook', webhookId) }),
    ...(typeof eventId === 'number' ? { eventId: globalId('Event', eventId) } : {}),
    ...filter,
    since: since === null ? null : formatTimestamp(since),
    until: formatTimestamp(idToDate(range.below)),
  };
}

const lockOperation = async (em: EntityManager, id: number): Promise<BulkOperation> =>
  found(await em.findOne(BulkOperation, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE }), 'bulk operation', id);

/**
 * Ends a bulk operation after the chunk that is under way. What it has done stays done.
 *
 * @throws ApiError not_found; bulk_operation_finished
 */
export async function cancelBulkOperation(db: HasOrm, tenantId: number, id: number, by: Actor): Promise<BulkOperation> {
  return await managementTransaction(db, tenantId, async ({ em, now }) => {
    const operation = await lockOperation(em, id);
    const { status } = operation;
    if (status !== BulkStatus.RUNNING && status !== BulkStatus.PAUSED) {
      throw new ApiError('bulk_operation_finished', `Bulk operation ${id} is ${status} already.`);
    }
    em.assign(operation, { status: BulkStatus.CANCELED, finishedAt: now, sealedField: null });
    const change = { before: { status }, after: { status: operation.status } };
    audit(em, by, { ...about('BULK_OPERATION', tenantId, id), action: 'BULK_OPERATION_CANCELED', ...change });
    return operation;
  });
}

/**
 * Continues a bulk operation that was canceled or has failed, where it stopped.
 *
 * @throws ApiError not_found; bulk_operation_not_resumable when it is under way, has completed, or its webhook was
 *   deleted; bulk_operation_limit_reached
 */
export async function resumeBulkOperation(db: HasOrm, tenantId: number, id: number, by: Actor): Promise<BulkOperation> {
  return await managementTransaction(db, tenantId, async ({ em, sql }) => {
    await requireFewOpen(em, sql, tenantId);
    const operation = await lockOperation(em, id);
    const why = await whyNotResumable(em, operation);
    if (why !== null) {
      throw new ApiError('bulk_operation_not_resumable', `Bulk operation ${id} ${why}`);
    }
    const before = { status: operation.status };
    em.assign(operation, { status: BulkStatus.RUNNING, finishedAt: null, error: null });
    await enqueueBulkOperation(sql, { operationId: id, tenantId, waitedMs: 0 }, 0);
    const change = { before, after: { status: operation.status } };
    audit(em, by, { ...about('BULK_OPERATION', tenantId, id), action: 'BULK_OPERATION_RESUMED', ...change });
    return operation;
  });
}

/** @returns null when it can be resumed */
async function whyNotResumable(em: EntityManager, operation: BulkOperation): Promise<string | null> {
  const { kind, status, error, webhookId } = operation;
  if (kind === 'ERASE_EVENTS') {
    return 'is an erasure: start another one, which leaves out what is erased.';
  }
  if (status !== BulkStatus.CANCELED && status !== BulkStatus.FAILED) {
    return `is ${status}; only one that is CANCELED or FAILED can be resumed.`;
  }
  if (status === BulkStatus.CANCELED && error !== null) {
    return `was ended: ${error}`;
  }
  const isDeleted = webhookId !== null && (await em.findOne(Webhook, { id: webhookId })) === null;
  return isDeleted ? 'cannot go on: its webhook was deleted.' : null;
}
