import type pg from 'pg';
import { query, type Statement } from '../../platform/database/database.js';
import {
  forgottenDeliveriesSql,
  hasNoAlignJobSql,
  hasNoLiveJobSql,
  lockFreeJobsSql,
  prioritySql,
} from '../../platform/graphile-worker/job-conditions.js';
import { staysSql } from '../cells/moving.js';

/** A job that has been locked for this long is not in hand: a process locks its jobs in hand again (`renewLocks`). */
export const OVERDUE_SECONDS = 60;

/** SQL: whether there may be overdue deliveries (Duty.worthIt). */
export const worthRescuingSql = `first_due < now() - ${OVERDUE_SECONDS} * interval '1 second'`;
/** Deliveries that are overdue since the last call are looked at, and this many of the others, the oldest first. */
const FRESH_ROWS = 20_000;
const PART_ROWS = 250;
/** The first call takes what has been due for longer for old. */
const FRESH_MINUTES = 10;
/** The next sweep goes on, so that the other sweeps are not late. */
const SWEEP_ROWS = 100_000;

/** Progress of a search: a call reads a part after this, moves it, and begins again after the last. */
export interface Cursor<Key> {
  after?: Key | undefined;
}

/** Due times as Postgres writes them: a Date would lose the microseconds. */
interface OverdueCursor extends Cursor<string> {
  /** Deliveries due before were looked at when they became overdue. */
  seen?: string | undefined;
}

const overdueSql = (where: string) => `
  select d.id, d.due_at, d.attempt_count, d.job_group, d.tenant_id from hookwright.deliveries d
  where d.status = 'PENDING' and d.due_at < now() - ${OVERDUE_SECONDS} * interval '1 second' and ${where}`;

/** A job that was in hand is forgotten later than its delivery is overdue, so its delivery is looked at again. */
const overdueStatement: Statement = {
  text: `
    with fresh as materialized (
      ${overdueSql(`d.due_at > coalesce($2::timestamptz, now() - ${FRESH_MINUTES} * interval '1 minute')`)}
      order by d.due_at fetch first ${FRESH_ROWS} rows with ties),
    part as materialized (
      ${overdueSql('d.due_at > $1::timestamptz')} order by d.due_at fetch first ${PART_ROWS} rows with ties),
    forgotten as materialized (
      select found.* from (${forgottenDeliveriesSql(String(OVERDUE_SECONDS))}) forgotten
      cross join lateral (${overdueSql('d.id = forgotten.id')} offset 0) found),
    lost as materialized (
      select l.id, l.attempt_count
      from (select * from fresh union select * from part union select * from forgotten) l
      where ${hasNoLiveJobSql('l', String(OVERDUE_SECONDS))} and ${staysSql('l.tenant_id')}),
    ${lockFreeJobsSql(`array(select 'd:' || id from lost)`)}
    select count(*)::integer as rescued,
           hookwright.enqueue_deliveries(array_agg(id), array_agg(attempt_count + 1), array_agg(now()),
             array_agg(${prioritySql('attempt_count')})),
           (select count(*)::integer from part) as looked,
           (select max(due_at)::text from part) as last_due_at, (select max(due_at)::text from fresh) as seen
    from lost where 'd:' || id not in (select key from locked_job)`,
};

interface OverdueRow {
  rescued: number;
  looked: number;
  last_due_at: string | null;
  seen: string | null;
}

/**
 * Adds jobs for overdue pending deliveries that have none: their worker died, their job was deleted, or the reply of a
 * fetch was lost. A delivery whose earlier job another session has locked is left for later. What endpoints have put
 * off stays overdue, so one call looks at a part of it; it goes on at once while it finds any.
 *
 * @returns how many
 */
export async function rescueOverdue(pool: pg.Pool, cursor: OverdueCursor = {}): Promise<number> {
  let total = 0;
  let isMore = true;
  while (isMore && total < SWEEP_ROWS) {
    const [row] = await query<OverdueRow>(pool, overdueStatement, [cursor.after ?? '-infinity', cursor.seen ?? null]);
    const { rescued, looked, last_due_at, seen } = row!;
    cursor.seen = seen ?? cursor.seen;
    cursor.after = looked < PART_ROWS ? undefined : (last_due_at ?? undefined);
    total += rescued;
    isMore = rescued > 0 && cursor.after !== undefined;
  }
  return total;
}

/** The webhooks with held deliveries that one call reads, each found by a leap through the days. */
const HOLDING_LOOKED = 25;
/** Emits that have crossed a change of their webhook commit within this time. */
const CROSSED_SECONDS = 60;
const CHANGES_LOOKED = 200;

/** No day of the future has a delivery, and the planner leaves its partition out. */
export const heldSql = (where: string) => `
  select d.webhook_id from hookwright.deliveries d
  where d.status = 'HELD' and d.id < hookwright.id_at(now() + interval '1 day') and ${where}`;

const nextHoldingSql = (after: string) =>
  `(select min(held.webhook_id) from (${heldSql(`d.webhook_id > ${after}`)}) held)`;

/** SQL: whether deliveries may be held for a webhook that is active (Duty.worthIt). */
export const worthAligningSql = `${nextHoldingSql('0')} is not null`;

/** Webhooks that somebody, or a probe, has just changed, and those whose holds have just ended. */
const justChangedSql = `
  select target_id::bigint as id
  from (select * from hookwright.audit_log order by id desc limit ${CHANGES_LOOKED}) newest
  where target_type = 'WEBHOOK' and created_at > now() - ${CROSSED_SECONDS} * interval '1 second'
  union
  (select id from hookwright.webhooks
   where hold_until between now() - ${CROSSED_SECONDS} * interval '1 second' and now()
   order by hold_until desc limit ${HOLDING_LOOKED})`;

/**
 * Leaps from one webhook to the next in the index of held deliveries. After an incident thousands hold some, and one
 * call reads a part of them; so what has just changed is read besides.
 */
const wronglyHeldStatement: Statement = {
  name: 'align_wrongly_held',
  text: `
    with recursive holding(webhook_id, rank) as (
      select ${nextHoldingSql('$1::bigint')}, 1
      union all
      select ${nextHoldingSql('holding.webhook_id')}, rank + 1
      from holding where holding.webhook_id is not null and rank < ${HOLDING_LOOKED}),
    looked as materialized (
      select webhook_id as id from holding where webhook_id is not null
      union select id from (${justChangedSql}) changed
      where (select count(webhook_id) from holding) = ${HOLDING_LOOKED} and exists (${heldSql('d.webhook_id = changed.id')})),
    wrongly_held as materialized (
      select w.id, w.tenant_id from looked join hookwright.webhooks w on w.id = looked.id
      where (w.deleted_at is not null or w.hold_until <= now() or (w.active and not w.keep_held)) and not w.moving
        and ${hasNoAlignJobSql('w.id')}
      order by w.id),
    ${lockFreeJobsSql(`array(select 'w:' || id from wrongly_held)`)}
    select count(*)::integer as webhooks, count(hookwright.enqueue_align(id, tenant_id)),
           (select case when count(webhook_id) = ${HOLDING_LOOKED} then max(webhook_id) end from holding) as last_id
    from wrongly_held where 'w:' || id not in (select key from locked_job)`,
};

interface WronglyHeldRow {
  webhooks: number;
  /** Null: there are no more. */
  last_id: number | null;
}

/**
 * Adds align-webhook jobs for webhooks whose held deliveries no longer fit their state: an event that was emitted while
 * its webhook was being enabled can be held by an active webhook, and holds expire.
 *
 * @param cursor the last webhook that was read
 * @returns how many
 */
export async function alignWronglyHeld(pool: pg.Pool, cursor: Cursor<number> = {}): Promise<number> {
  const [row] = await query<WronglyHeldRow>(pool, wronglyHeldStatement, [cursor.after ?? 0]);
  const { webhooks, last_id } = row!;
  cursor.after = last_id ?? undefined;
  return webhooks;
}
