import type pg from 'pg';
import { idRange } from '../../domain/ids/delivery-id.js';
import { LANES } from '../../domain/pacing/lanes.js';
import { query, type Statement } from '../../platform/database/database.js';
import { limitLockWait } from '../../platform/database/impatient-transaction.js';
import { canceledSql, reopenedSql } from '../deliveries/delivery-state.js';
import { lockFor } from '../rows/advisory-lock.js';
import { type BulkSelection, hasStatusSql } from './bulk-selection.js';

const ofThese = (row: string) =>
  `${row}.id = any($1::bigint[]) and ${row}.id between $2 and $3 and (${row}.tenant_id = $4) is true`;

/** Locks in the order of ids, as everywhere. The state is checked again. */
const lockedSql = (condition = '') => `
  locked as materialized (
    select d.id from hookwright.deliveries d
    where ${ofThese('d')} and ${hasStatusSql('d', '$5::text[]')} is true ${condition}
    order by d.id for update)`;

/** A scalar subquery, so that Postgres looks the event up by its key. */
const hasEventSql = `
  and (select true from hookwright.events e where e.tenant_id = d.tenant_id and e.id = d.event_id)`;

/** Leaves out deliveries without an event, which have nothing to send. */
const recoverStatement: Statement = {
  name: 'bulk_recover',
  text: `
    with ${lockedSql(hasEventSql)},
    reopened as (
      update hookwright.deliveries d set ${reopenedSql}
      from locked where d.id = locked.id and d.id between $2 and $3
      returning d.id, d.attempt_count)
    select array_agg(id::float8 order by id) as ids,
           hookwright.enqueue_deliveries(array_agg(id order by id), array_agg(attempt_count + 1 order by id),
             array_agg(now()), array_agg(${LANES.BULK.priority}))
    from reopened`,
};

const replayStatement: Statement = {
  name: 'bulk_replay',
  text: `
    with made as (
      insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status)
      select hookwright.next_id(), e.tenant_id, e.id, $5::bigint, e.event_type, 'PENDING'
      from (select * from hookwright.events e
            where e.tenant_id = $4 and e.id = any($1::bigint[]) and e.id between $2 and $3 order by e.id) e
      returning id)
    select array_agg(id::float8 order by id) as ids,
           hookwright.enqueue_new_deliveries(array_agg(id order by id), array_agg(null::bigint),
             array_agg(${LANES.BULK.priority}))
    from made`,
};

/** The jobs later find nothing to do. Requests in flight end and are recorded (docs/decisions/0004). */
const cancelStatement: Statement = {
  name: 'bulk_cancel',
  text: `
    with ${lockedSql()},
    canceled as (
      update hookwright.deliveries d set ${canceledSql('BY_USER')}
      from locked where d.id = locked.id and d.id between $2 and $3
      returning d.id)
    select array_agg(id::float8 order by id) as ids from canceled`,
};

const lockWebhooksStatement: Statement = {
  name: 'bulk_lock_webhooks',
  text: `
    select w.id from hookwright.webhooks w
    where w.id = any(array(select distinct d.webhook_id from hookwright.deliveries d where ${ofThese('d')}))
    order by w.id for share`,
};

/** Deliveries in these states may have a request in flight, whose outcome may be recorded at any moment. */
const UNDER_WAY = ['PENDING', 'HELD', 'CANCELED'];

/** The longest wait for a delivery while webhooks are locked: their outcomes wait meanwhile. */
const DELIVERY_LOCK_WAIT_MS = 250;

/**
 * @param ids deliveries, or for a replay events
 * @returns the ids of the deliveries that were changed or made
 * @throws Error with LOCK_NOT_AVAILABLE, when another session has one of them locked
 */
export async function applyChunk(
  client: pg.PoolClient,
  tenantId: number,
  { kind, webhookId, filter }: BulkSelection,
  ids: readonly number[],
): Promise<number[]> {
  if (ids.length === 0) {
    return [];
  }
  const statement = {
    RECOVER_WEBHOOK: recoverStatement,
    REPLAY_EVENTS: replayStatement,
    CANCEL_DELIVERIES: cancelStatement,
  }[kind];
  const these = [ids, ...idRange(ids), tenantId];
  if (filter.status?.some((status) => UNDER_WAY.includes(status))) {
    // Only where outcomes may come: they would all wait for it.
    await Promise.all([query(client, lockWebhooksStatement, these), limitLockWait(client, DELIVERY_LOCK_WAIT_MS)]);
  }
  const last = kind === 'REPLAY_EVENTS' ? webhookId : filter.status;
  const [row] = await query<{ ids: number[] | null }>(client, statement, [...these, last]);
  return row?.ids ?? [];
}

const waitingStatement: Statement = {
  name: 'bulk_waiting',
  text: `
    select array_agg(d.id::float8) as ids from hookwright.deliveries d
    where ${ofThese('d')} and (d.status = 'PENDING') is true and d.attempt_count = d.attempts_before`,
};

/** The deliveries that wait for the first attempt since they were queued. */
export async function stillWaiting(client: pg.PoolClient, tenantId: number, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) {
    return [];
  }
  const [row] = await query<{ ids: number[] | null }>(client, waitingStatement, [ids, ...idRange(ids), tenantId]);
  return row?.ids ?? [];
}

/** Two replays to one webhook must not both find that an event has no delivery yet. */
export async function lockReplays(client: pg.PoolClient, webhookId: number): Promise<void> {
  await lockFor(client, `replay.${webhookId}`);
}
