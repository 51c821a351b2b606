import type pg from 'pg';
import { type Database, query, type Statement, transaction } from '../database.js';
import { BULK_CHUNK, bulkPause, bulkRoom } from '../domain/bulk-pace.js';
import { isDatabaseAway } from '../errors.js';
import { applyChunk, lockReplays, stillWaiting } from './bulk-changes.js';
import { type BulkFilter, type BulkSelection, selectChunk } from './bulk-selection.js';
import { type BulkPayload, enqueueBulkOperation } from './enqueue.js';

interface Row {
  kind: BulkSelection['kind'];
  webhook_id: number | null;
  filter: string;
  to_id: number;
  cursor_id: number;
  in_queue: number[];
  active: boolean | null;
  deleted: boolean | null;
}

/** Reading the webhook without a lock is enough: what is queued too late is turned away when it is loaded. */
const lockStatement: Statement = {
  name: 'lock_bulk_operation',
  text: `
    select o.kind, o.webhook_id, o.filter, o.to_id, o.cursor_id, o.in_queue::float8[] as in_queue,
           w.active, w.deleted_at is not null as deleted
    from hookwright.bulk_operations o left join hookwright.webhooks w on w.id = o.webhook_id
    where o.id = $1 and o.tenant_id = $2 and o.status = 'RUNNING' for update of o`,
};

const saveStatement: Statement = {
  name: 'save_bulk_operation',
  text: `
    update hookwright.bulk_operations
    set cursor_id = $2, in_queue = $3::bigint[], processed = processed + $4, affected = affected + $5,
        skipped = skipped + $4 - $5
    where id = $1`,
};

const endStatement: Statement = {
  name: 'end_bulk_operation',
  text: `
    update hookwright.bulk_operations
    set status = $2, error = $3, in_queue = '{}', finished_at = case when $2::hookwright.bulk_status <> 'PAUSED' then now() end
    where id = $1 and status = 'RUNNING'`,
};

/** An error that comes again and again is not waited out. */
const TRIES_MAX = 4;

/**
 * Does the next chunk of a bulk operation: rows, jobs, the cursor and the operation's own next job in one transaction.
 * Whoever is killed has done a chunk, or has not. An operation that has ended or was canceled is left alone.
 *
 * @param tries how often this job was fetched
 * @throws what went wrong, unless it has happened so often that the operation is given up (FAILED)
 */
export async function runBulkOperation(
  { pool }: Pick<Database, 'pool'>,
  payload: BulkPayload,
  tries: number,
): Promise<void> {
  try {
    await transaction(pool, (client) => runChunk(client, payload));
  } catch (error) {
    if (tries >= TRIES_MAX && !isDatabaseAway(error)) {
      const message = 'It met a fault of the service again and again; the log has it. It can be resumed.';
      await query(pool, endStatement, [payload.operationId, 'FAILED', message]);
    }
    throw error;
  }
}

async function runChunk(client: pg.PoolClient, payload: BulkPayload): Promise<void> {
  const { operationId, tenantId } = payload;
  const [row] = await query<Row>(client, lockStatement, [operationId, tenantId]);
  if (row === undefined) {
    return;
  }
  if (row.deleted) {
    await query(client, endStatement, [operationId, 'CANCELED', 'The webhook was deleted.']);
    return;
  }
  if (row.active === false && row.kind !== 'CANCEL_DELIVERIES') {
    await query(client, endStatement, [operationId, 'PAUSED', null]);
    return;
  }
  await work(client, payload, row);
}

async function work(client: pg.PoolClient, payload: BulkPayload, row: Row): Promise<void> {
  const { operationId, tenantId } = payload;
  const queues = row.kind !== 'CANCEL_DELIVERIES';
  const waiting = await stillWaiting(client, tenantId, row.in_queue);
  const room = queues ? bulkRoom(waiting.length) : BULK_CHUNK;
  const { ids, changed, lastId } =
    room === 0 ? { ids: [], changed: [], lastId: row.cursor_id } : await doChunk(client, tenantId, row, room);
  const queued = queues ? changed : [];
  const inQueue = [...waiting, ...queued];
  const cursor = lastId ?? row.to_id;
  await query(client, saveStatement, [operationId, cursor, inQueue, ids.length, changed.length]);
  if (lastId === null) {
    await query(client, endStatement, [operationId, 'COMPLETED', null]);
    return;
  }
  const { inMs, waitedMs } = bulkPause({
    queued: queued.length,
    drained: row.in_queue.length - waiting.length,
    hadRoom: room > 0,
    waitedMs: payload.waitedMs,
  });
  await enqueueBulkOperation(client, { operationId, tenantId, waitedMs }, inMs);
}

async function doChunk(client: pg.PoolClient, tenantId: number, row: Row, limit: number) {
  const { kind, webhook_id: webhookId, cursor_id: above, to_id: below } = row;
  const selection = { kind, webhookId, filter: JSON.parse(row.filter) as BulkFilter };
  if (kind === 'REPLAY_EVENTS' && webhookId !== null) {
    await lockReplays(client, webhookId);
  }
  const { ids, lastId } = await selectChunk(client, tenantId, selection, { above, below }, limit);
  return { ids, lastId, changed: await applyChunk(client, tenantId, selection, ids) };
}
