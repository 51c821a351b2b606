import type pg from 'pg';
import { idRange } from '../../domain/ids/delivery-id.js';
import { LANES } from '../../domain/pacing/lanes.js';
import { query, type Statement } from '../../platform/database/database.js';
import { limitLockWait } from '../../platform/database/impatient-transaction.js';
import { canceledSql, reopenedSql } from '../deliveries/delivery-state.js';
import { lockFor } from '../rows/advisory-lock.js';
import { type BulkSelection, hasStatusSql, sendsToAll } from './bulk-filter.js';

const ofThese = (row: string) =>
  `${row}.id = any($1::bigint[]) and ${row}.id between $2 and $3 and (${row}.tenant_id = $4) is true`;

/** Locks in the order of ids, as everywhere. The state is checked again. */
const lockedSql = (condition = '') => `
  locked as materialized (
    select d.id, d.webhook_id, d.status from hookwright.deliveries d
    where ${ofThese('d')} and ${hasStatusSql('d', '$5::text[]')} is true ${condition}
    order by d.id for update)`;

/** A scalar subquery, so that Postgres looks the event up by its key. */
const hasEventSql = `
  and d.erased is not true
  and (select true from hookwright.events e where e.tenant_id = d.tenant_id and e.id = d.event_id)`;

/** Leaves out deliveries without an event, or with an erased one, which have nothing to send. */
const recoverStatement: Statement = {
  name: 'bulk_recover',
  text: `
    with ${lockedSql(hasEventSql)},
    reopened as materialized (
      update hookwright.deliveries d set ${reopenedSql}
      from locked where d.id = locked.id and d.id between $2 and $3
      returning d.id, d.event_id, d.attempt_count),
    due as materialized (
      select unnest(hookwright.queue_again($4, array_agg(id order by event_id, id))) as id from reopened)
    select (select array_agg(id::float8 order by id) from reopened) as ids,
           hookwright.enqueue_deliveries(array_agg(id order by id), array_agg(attempt_count + 1 order by id),
             array_agg(now()), array_agg(${LANES.BULK.priority}))
    from reopened join due using (id)`,
};

/** Locks the events, so that none of them is erased before its deliveries are there. */
const replayStatement: Statement = {
  name: 'bulk_replay',
  text: `
    with made as materialized (
      select hookwright.next_id() as id, e.*
      from (select e.id as event_id, e.tenant_id, e.event_type from hookwright.events e
            where e.tenant_id = $4 and e.id = any($1::bigint[]) and e.id between $2 and $3 and e.erased_at is null
            order by e.id for share) e)
    select array_agg(id::float8 order by id) as ids,
           hookwright.insert_deliveries(array_agg(id order by event_id), array_agg(tenant_id order by event_id),
             array_agg(event_id order by event_id), array_agg($5::bigint), array_agg(event_type order by event_id),
             array_agg(true), array_agg(null::bigint), array_agg(${LANES.BULK.priority}), now(),
             keys => array_agg(case when (select not w.plain from hookwright.webhooks w where w.id = $5)
                                     then hookwright.ordering_key_again(tenant_id, $5, event_id) end order by event_id),
             may_settle => false,
             paths => array_agg(case when (select not w.plain from hookwright.webhooks w where w.id = $5)
                                     then hookwright.path_again(tenant_id, $5, event_id) end order by event_id))
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
      returning d.id, d.tenant_id, d.ordering_key, locked.status as was),
    waited as materialized (
      select hookwright.leave_queues(array_agg(tenant_id), array_agg(id))
      from canceled where ordering_key is not null and was = 'WAITING' having count(*) > 0),
    had_turns as materialized (
      select hookwright.end_turns(array_agg(tenant_id), array_agg(id))
      from canceled where ordering_key is not null and was <> 'WAITING' and (select count(*) from waited) >= 0
      having count(*) > 0)
    select array_agg(id::float8 order by id) as ids from canceled where (select count(*) from had_turns) >= 0`,
};

/**
 * The first delivery to a failing webhook is its next probe, unless one has failed since $6, when the operation was
 * started (docs/decisions/0049).
 */
const attemptStatement: Statement = {
  name: 'bulk_attempt',
  text: `
    with ${lockedSql()},
    asked as (
      select l.id, case when w.consecutive_failures > 0 and w.last_failure_at < $6::timestamptz
                          and row_number() over (partition by w.id order by l.id) = 1
                        then ${LANES.TEST.priority} else ${LANES.BULK.priority} end as priority
      from locked l join hookwright.webhooks w on w.id = l.webhook_id
      where w.active and w.deleted_at is null)
    select hookwright.attempt_now($4, array_agg(id order by id), array_agg(priority order by id))::float8[] as ids
    from asked`,
};

const lockWebhooksStatement: Statement = {
  name: 'bulk_lock_webhooks',
  text: `
    select w.id from hookwright.webhooks w
    where w.id = any(array(select distinct d.webhook_id from hookwright.deliveries d where ${ofThese('d')}))
    order by w.id for share`,
};

/** Deliveries in these states may have a request in flight, whose outcome may be recorded at any moment. */
const UNDER_WAY = ['PENDING', 'WAITING', 'HELD', 'CANCELED'];

/** The longest wait for a delivery while webhooks are locked: their outcomes wait meanwhile. */
const DELIVERY_LOCK_WAIT_MS = 250;

/** An operation that sends, makes or cancels deliveries. */
export interface DeliveriesToChange extends BulkSelection {
  kind: Exclude<BulkSelection['kind'], 'ERASE_EVENTS'>;
}

const statements: Record<DeliveriesToChange['kind'], Statement> = {
  RECOVER_WEBHOOK: recoverStatement,
  RECOVER_DELIVERIES: recoverStatement,
  ATTEMPT_NOW: attemptStatement,
  REPLAY_EVENTS: replayStatement,
  CANCEL_DELIVERIES: cancelStatement,
};

/**
 * @param ids deliveries, or for a replay events
 * @param startedAt when the operation was started: for ATTEMPT_NOW
 * @returns the ids of the deliveries that were changed or made
 * @throws Error with LOCK_NOT_AVAILABLE, when another session has one of them locked
 */
export async function applyChunk(
  client: pg.PoolClient,
  tenantId: number,
  { kind, webhookId, filter }: DeliveriesToChange,
  ids: readonly number[],
  startedAt: Date | null = null,
): Promise<number[]> {
  if (ids.length === 0) {
    return [];
  }
  const statement = statements[kind];
  const these = [ids, ...idRange(ids), tenantId];
  if (filter.status?.some((status) => UNDER_WAY.includes(status))) {
    // Only where outcomes may come: they would all wait for it.
    await Promise.all([query(client, lockWebhooksStatement, these), limitLockWait(client, DELIVERY_LOCK_WAIT_MS)]);
  }
  const last = kind === 'REPLAY_EVENTS' ? [webhookId] : [filter.status, ...(kind === 'ATTEMPT_NOW' ? [startedAt] : [])];
  const [row] = await query<{ ids: number[] | null }>(client, statement, [...these, ...last]);
  return row?.ids ?? [];
}

/** $5: made due, not queued; $6: over all webhooks. */
const waitingStatement: Statement = {
  name: 'bulk_waiting',
  text: `
    select array_agg(d.id::float8) as ids from hookwright.deliveries d join hookwright.webhooks w on w.id = d.webhook_id
    where ${ofThese('d')} and (d.status in ('PENDING', 'WAITING')) is true
      and case when $5::boolean then d.due_at <= now() else d.attempt_count = d.attempts_before end
      and not ($6::boolean and (w.consecutive_failures > 0 or coalesce(w.closed_until > now(), false)))`,
};

/**
 * The deliveries that wait for the first attempt since they were queued or made due. Where an operation is over all
 * webhooks, those of one that fails or is closed do not count: the others must not wait for it.
 */
export async function stillWaiting(
  client: pg.PoolClient,
  tenantId: number,
  selection: Pick<BulkSelection, 'kind' | 'webhookId'>,
  ids: readonly number[],
): Promise<number[]> {
  if (ids.length === 0) {
    return [];
  }
  const values = [ids, ...idRange(ids), tenantId, selection.kind === 'ATTEMPT_NOW', sendsToAll(selection)];
  const [row] = await query<{ ids: number[] | null }>(client, waitingStatement, values);
  return row?.ids ?? [];
}

/** Two replays to one webhook must not both find that an event has no delivery yet. */
export async function lockReplays(client: pg.PoolClient, webhookId: number): Promise<void> {
  await lockFor(client, `replay.${webhookId}`);
}
