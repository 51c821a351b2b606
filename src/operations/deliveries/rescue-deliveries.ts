import type pg from 'pg';
import { query, type Statement } from '../../platform/database/database.js';
import {
  hasNoAlignJobSql,
  hasNoLiveJobSql,
  lockFreeJobsSql,
  prioritySql,
} from '../../platform/graphile-worker/job-conditions.js';

/** A job that has been locked for this long is not in hand: a process locks its jobs in hand again (`renewLocks`). */
export const OVERDUE_SECONDS = 60;

/** SQL: whether there may be overdue deliveries (Duty.worthIt). */
export const worthRescuingSql = `first_due < now() - ${OVERDUE_SECONDS} * interval '1 second'`;
/** SQL: whether deliveries may be held for a webhook that is active (Duty.worthIt). */
export const worthAligningSql = `exists (select from hookwright.deliveries where status = 'HELD')`;
/** The rows that one call reads: a backlog may be long (0.2 s beside 400,000 due deliveries). */
const CHUNK_ROWS = 20_000;

/** Progress of a search: a call reads a part after this, moves it, and begins again after the last. */
export interface Cursor<Key> {
  after?: Key | undefined;
}

const overdueStatement: Statement = {
  text: `
    with looked as materialized (
      select d.id, d.due_at, d.attempt_count, d.job_group from hookwright.deliveries d
      where d.status = 'PENDING' and d.due_at < now() - ${OVERDUE_SECONDS} * interval '1 second'
        and d.due_at > $1::timestamptz
      order by d.due_at fetch first ${CHUNK_ROWS} rows with ties),
    lost as materialized (
      select l.id, l.attempt_count from looked l where ${hasNoLiveJobSql('l', String(OVERDUE_SECONDS))}),
    ${lockFreeJobsSql(`array(select 'd:' || id from lost)`)}
    select count(*)::integer as rescued,
           hookwright.enqueue_deliveries(array_agg(id), array_agg(attempt_count + 1), array_agg(now()),
             array_agg(${prioritySql('attempt_count')})),
           (select count(*)::integer from looked) as looked,
           (select max(due_at)::text from looked) as last_due_at
    from lost where 'd:' || id not in (select key from locked_job)`,
};

interface OverdueRow {
  rescued: number;
  looked: number;
  last_due_at: string | null;
}

/**
 * Adds jobs for overdue pending deliveries that have none: their worker died, their job was deleted, or the reply of a
 * fetch was lost. A delivery whose earlier job another session has locked is left for later.
 *
 * @param cursor a due time as Postgres writes it: a Date would lose the microseconds
 * @returns how many
 */
export async function rescueOverdue(pool: pg.Pool, cursor: Cursor<string> = {}): Promise<number> {
  const [row] = await query<OverdueRow>(pool, overdueStatement, [cursor.after ?? '-infinity']);
  const { rescued, looked, last_due_at } = row!;
  cursor.after = looked < CHUNK_ROWS ? undefined : (last_due_at ?? undefined);
  return rescued;
}

/** The webhooks with held deliveries that one call reads: an incident may leave thousands, each found by a leap. */
const HOLDING_LOOKED = 500;

const nextHoldingSql = (after: string) =>
  `(select min(d.webhook_id) from hookwright.deliveries d where d.status = 'HELD' and d.webhook_id > ${after})`;

/** Leaps from one webhook to the next in the index of held deliveries. */
const wronglyHeldStatement: Statement = {
  name: 'align_wrongly_held',
  text: `
    with recursive holding(webhook_id, rank) as (
      select ${nextHoldingSql('$1::bigint')}, 1
      union all
      select ${nextHoldingSql('holding.webhook_id')}, rank + 1
      from holding where holding.webhook_id is not null and rank < ${HOLDING_LOOKED}),
    wrongly_held as materialized (
      select w.id, w.tenant_id from holding join hookwright.webhooks w on w.id = holding.webhook_id
      where (w.deleted_at is not null or w.hold_until <= now() or (w.active and not w.keep_held))
        and ${hasNoAlignJobSql('w.id')}
      order by w.id),
    ${lockFreeJobsSql(`array(select 'w:' || id from wrongly_held)`)}
    select count(*)::integer as webhooks, count(hookwright.enqueue_align(id, tenant_id)),
           (select case when every(webhook_id is not null) then max(webhook_id) end from holding) as last_id
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
