import type pg from 'pg';
import { query, type SqlTarget, type Statement } from '../../platform/database/database.js';
import { limitLockWait } from '../../platform/database/impatient-transaction.js';

/** The longest wait for a delivery while webhooks are locked: their outcomes wait meanwhile. */
const LOCK_WAIT_MS = 250;

const eraseStatement: Statement = {
  name: 'erase_events',
  text: 'select cardinality(hookwright.erase_events($1, $2)) as erased',
};

const eraseScheduledStatement: Statement = {
  name: 'erase_scheduled_events',
  text: 'select cardinality(hookwright.erase_scheduled_events($1, $2)) as erased',
};

/**
 * Erases events of a tenant, or scheduled ones, some hundred at once.
 *
 * @returns how many were not erased before
 * @throws Error with LOCK_NOT_AVAILABLE, when another session has one of their rows locked
 */
export async function eraseThese(
  client: pg.PoolClient,
  tenantId: number,
  ids: readonly number[],
  { scheduled = false }: { scheduled?: boolean } = {},
): Promise<number> {
  if (ids.length === 0) {
    return 0;
  }
  await limitLockWait(client, LOCK_WAIT_MS);
  const statement = scheduled ? eraseScheduledStatement : eraseStatement;
  const [row] = await query<{ erased: number }>(client, statement, [tenantId, ids]);
  return row!.erased;
}

/** The scheduled events that an erasure chooses from. */
export interface ScheduledQuestion {
  eventTypes: readonly string[] | null;
  /** The condition as Postgres judges it; null: none. */
  condition: string | null;
  /** When they were scheduled. */
  since: Date;
  until: Date;
  /** Emitted ones go with their events, but for events from this one on, which the erasure does not see. */
  below: number;
}

/** $1 tenant, $2 types, $3 condition, $4 and $5 the time, $6 below, $7 after this one, $8 limit. */
const lookSql = `
  select s.id, coalesce(s.erased_at is null and (s.status <> 'EMITTED' or s.event_id >= $6)
           and ($2::text[] is null or s.event_type = any($2)) and s.created_at >= $4 and s.created_at < $5
           and hookwright.is_to_erase(s.body, $3::text::jsonpath, s.event_type), false) as wanted
  from hookwright.scheduled_events s where s.tenant_id = $1 and s.id > $7 order by s.id limit $8`;

const valuesOf = (tenantId: number, { eventTypes, condition, since, until, below }: ScheduledQuestion): unknown[] => [
  tenantId,
  eventTypes,
  condition,
  since,
  until,
  below,
];

const countStatement: Statement = {
  text: `select count(*)::integer as count from (${lookSql}) looked where wanted`,
};

const SCHEDULED_COUNTED_MAX = 1_000_000;

export async function countScheduled(sql: SqlTarget, tenantId: number, question: ScheduledQuestion): Promise<number> {
  const values = [...valuesOf(tenantId, question), 0, SCHEDULED_COUNTED_MAX];
  const [row] = await query<{ count: number }>(sql, countStatement, values);
  return row!.count;
}

const chooseStatement: Statement = {
  name: 'choose_scheduled_to_erase',
  text: `
    with looked as materialized (${lookSql})
    select array(select id::float8 from looked where wanted order by id) as ids,
           (select case when count(*) = $8 then max(id)::float8 end from looked) as last`,
};

/** Looks at the next scheduled events. @returns those to erase, and the last one that was looked at; null: no more */
export async function chooseScheduled(
  client: pg.PoolClient,
  tenantId: number,
  question: ScheduledQuestion,
  after: number,
  limit: number,
): Promise<{ ids: number[]; last: number | null }> {
  const values = [...valuesOf(tenantId, question), after, limit];
  const [row] = await query<{ ids: number[]; last: number | null }>(client, chooseStatement, values);
  return row!;
}

const erasePendingStatement: Statement = {
  name: 'erase_pending_causes',
  text: 'select hookwright.erase_pending_causes($1, $4, $5, $2, $3::text::jsonpath)',
};

/** Erases what was only counted of operational events so far. */
export async function erasePendingCauses(
  client: pg.PoolClient,
  tenantId: number,
  question: ScheduledQuestion,
): Promise<void> {
  await query(client, erasePendingStatement, valuesOf(tenantId, question).slice(0, 5));
}
