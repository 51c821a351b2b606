import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import {
  BULK_CHUNK_UNQUEUED,
  type BulkPause,
  type BulkProgress,
  bulkPause,
  bulkRoom,
} from '../../domain/pacing/bulk-pace.js';
import { type HasPool, query, type Statement } from '../../platform/database/database.js';
import { isTooSlow } from '../../platform/database/driver/sql-state.js';
import { impatientTransaction, orLocked } from '../../platform/database/impatient-transaction.js';
import { isDatabaseAway } from '../../platform/database/outage.js';
import { MOVING_REST_MS } from '../cells/moving.js';
import { enqueueBulkOperation } from '../jobs/enqueue.js';
import type { BulkPayload } from '../jobs/tasks.js';
import type { SecretVault } from '../secrets/secret-vault.js';
import { applyChunk, type DeliveriesToChange, lockReplays, stillWaiting } from './bulk-changes.js';
import type { BulkFilter, BulkSelection } from './bulk-filter.js';
import { selectChunk } from './bulk-selection.js';
import { eraseNext } from './run-erasure.js';

interface Deps extends HasPool {
  vault: Pick<SecretVault, 'open'>;
}

interface Row {
  kind: BulkSelection['kind'];
  webhook_id: number | null;
  filter: string;
  from_id: number;
  to_id: number;
  cursor_id: number;
  scheduled_cursor: number | null;
  sealed_field: Buffer | null;
  created_at: Date;
  in_queue: number[];
  active: boolean | null;
  deleted: boolean | null;
  /** Null: its tenant does not move to another cell. */
  moving: string | null;
}

/** The webhook is read without a lock: deliveries that are queued too late are turned away when they are loaded. */
const lockStatement: Statement = {
  name: 'lock_bulk_operation',
  text: `
    select o.kind, o.webhook_id, o.filter, o.from_id, o.to_id, o.cursor_id, o.scheduled_cursor, o.sealed_field,
           o.created_at, o.in_queue::float8[] as in_queue,
           w.active, w.deleted_at is not null as deleted, t.moving
    from hookwright.bulk_operations o
    join hookwright.tenants t on t.id = o.tenant_id
    left join hookwright.webhooks w on w.id = o.webhook_id
    where o.id = $1 and o.tenant_id = $2 and o.status = 'RUNNING' and coalesce(o.begins_at <= now(), true)
    for update of o`,
};

const saveStatement: Statement = {
  name: 'save_bulk_operation',
  text: `
    update hookwright.bulk_operations
    set cursor_id = $2, scheduled_cursor = $6::bigint, in_queue = $3::bigint[], processed = processed + $4, affected = affected + $5,
        skipped = skipped + $4 - $5
    where id = $1`,
};

const endStatement: Statement = {
  name: 'end_bulk_operation',
  text: `
    update hookwright.bulk_operations
    set status = $2, error = $3, in_queue = '{}', sealed_field = null,
        finished_at = case when $2::hookwright.bulk_status <> 'PAUSED' then now() end
    where id = $1 and status = 'RUNNING'`,
};

const failStatement: Statement = {
  name: 'fail_bulk_operation',
  text: `
    update hookwright.bulk_operations
    set status = 'FAILED', in_queue = '{}', sealed_field = null, finished_at = now(),
        error = $2::text || case when kind::text = 'ERASE_EVENTS' then '' else ' It can be resumed.' end
    where id = $1 and status = 'RUNNING'`,
};

/** Longer than daemons lock webhooks to write them. While webhooks are locked, `applyChunk` waits less. */
const LOCK_WAIT_MS = 1_000;
const LOCKED_REST_MS = 2_000;

/** After this many fetches of a job, its error ends the operation. */
const TRIES_MAX = 4;
/** Future jobs are fetched only twice a second, so shorter pauses are waited out. */
const PAUSE_WAITED_OUT_MS_MAX = 1_000;

/**
 * Does some chunks of a bulk operation, each in a transaction that also moves the cursor: after a crash the job comes
 * again and continues. The last chunk adds a job for the rest. When another session has a needed row locked, a later
 * job continues.
 *
 * @param deps.vault opens the conditions of erasures
 * @param tries how often this job was fetched
 * @param turnMs no further chunk is begun after this time
 * @throws the error, also after it has ended the operation (FAILED)
 */
export async function runBulkOperation(
  deps: Deps,
  payload: BulkPayload,
  { tries, turnMs }: { tries: number; turnMs: number },
): Promise<void> {
  const { pool } = deps;
  const endsAt = performance.now() + turnMs;
  try {
    let { waitedMs } = payload;
    for (;;) {
      const chunk = (client: pg.PoolClient) => runChunk(client, deps.vault, { ...payload, waitedMs }, endsAt);
      const pause = await orLocked(impatientTransaction(pool, LOCK_WAIT_MS, chunk));
      if (pause === 'LOCKED') {
        await enqueueBulkOperation(pool, { ...payload, waitedMs }, LOCKED_REST_MS);
        return;
      }
      if (pause === null) {
        return;
      }
      ({ waitedMs } = pause);
      await delay(pause.inMs);
    }
  } catch (error) {
    if (tries >= TRIES_MAX && (isTooSlow(error) || !isDatabaseAway(error))) {
      const message = 'It met a fault of the service again and again; the log has it.';
      await query(pool, failStatement, [payload.operationId, message]);
    }
    throw error;
  }
}

/** @returns the pause before the next chunk; null: this job does no more */
async function runChunk(
  client: pg.PoolClient,
  vault: Deps['vault'],
  payload: BulkPayload,
  endsAt: number,
): Promise<BulkPause | null> {
  const { operationId, tenantId } = payload;
  const startedAt = performance.now();
  const [row] = await query<Row>(client, lockStatement, [operationId, tenantId]);
  if (row === undefined || row.moving === 'GONE') {
    return null;
  }
  if (row.moving !== null) {
    await enqueueBulkOperation(client, payload, MOVING_REST_MS);
    return null;
  }
  const progress = endOf(row) ?? (await doChunk(client, vault, payload, row));
  if ('status' in progress) {
    await query(client, endStatement, [operationId, progress.status, progress.error]);
    return null;
  }
  const now = performance.now();
  const pause = bulkPause({ ...progress, tookMs: now - startedAt, waitedMs: payload.waitedMs });
  const isShort = pause.inMs <= PAUSE_WAITED_OUT_MS_MAX;
  if (isShort && now < endsAt) {
    return pause;
  }
  await enqueueBulkOperation(client, { ...payload, waitedMs: pause.waitedMs }, isShort ? 0 : pause.inMs);
  return null;
}

interface End {
  status: string;
  error: string | null;
}

/** The end of an operation that cannot go on: its webhook is deleted or inactive. */
function endOf({ kind, active, deleted }: Row): End | null {
  if (deleted) {
    return { status: 'CANCELED', error: 'The webhook was deleted.' };
  }
  return active === false && kind !== 'CANCEL_DELIVERIES' ? { status: 'PAUSED', error: null } : null;
}

type Done = Pick<BulkProgress, 'queued' | 'drained' | 'hadRoom'> | End;
const COMPLETED: End = { status: 'COMPLETED', error: null };

/** The pauses of an erasure are those of deliveries that are queued: it changes as much. */
async function eraseChunk(
  client: pg.PoolClient,
  vault: Deps['vault'],
  { operationId, tenantId }: BulkPayload,
  row: Omit<Row, 'kind'>,
): Promise<Done> {
  const { eventTypes = null } = JSON.parse(row.filter) as BulkFilter;
  const { looked, erased, lastId, scheduledCursor } = await eraseNext(client, vault, tenantId, {
    eventTypes,
    sealedField: row.sealed_field,
    fromId: row.from_id,
    range: { above: row.cursor_id, below: row.to_id },
    scheduledCursor: row.scheduled_cursor,
  });
  await query(client, saveStatement, [operationId, lastId ?? row.to_id, [], looked, erased, scheduledCursor]);
  return lastId === null ? COMPLETED : { queued: looked, drained: 0, hadRoom: true };
}

async function doChunk(
  client: pg.PoolClient,
  vault: Deps['vault'],
  payload: BulkPayload,
  { kind, ...row }: Row,
): Promise<Done> {
  if (kind === 'ERASE_EVENTS') {
    return await eraseChunk(client, vault, payload, row);
  }
  const { operationId, tenantId } = payload;
  const queues = kind !== 'CANCEL_DELIVERIES';
  const selection = { kind, webhookId: row.webhook_id };
  const waiting = await stillWaiting(client, tenantId, selection, row.in_queue);
  const room = queues ? bulkRoom(waiting.length) : BULK_CHUNK_UNQUEUED;
  const { ids, changed, lastId } =
    room === 0
      ? { ids: [], changed: [], lastId: row.cursor_id }
      : await changeNext(client, tenantId, { kind, ...row }, room);
  const queued = queues ? changed : [];
  const position = [lastId ?? row.to_id, [...waiting, ...queued]];
  await query(client, saveStatement, [operationId, ...position, ids.length, changed.length, null]);
  const drained = row.in_queue.length - waiting.length;
  return lastId === null ? COMPLETED : { queued: queued.length, drained, hadRoom: room > 0 };
}

async function changeNext(
  client: pg.PoolClient,
  tenantId: number,
  row: Omit<Row, 'kind'> & Pick<DeliveriesToChange, 'kind'>,
  limit: number,
) {
  const { kind, webhook_id: webhookId, cursor_id: above, to_id: below } = row;
  const selection = { kind, webhookId, filter: JSON.parse(row.filter) as BulkFilter };
  if (kind === 'REPLAY_EVENTS' && webhookId !== null) {
    await lockReplays(client, webhookId);
  }
  const { ids, lastId } = await selectChunk(client, tenantId, selection, { above, below }, limit);
  return { ids, lastId, changed: await applyChunk(client, tenantId, selection, ids, row.created_at) };
}
