import type pg from 'pg';
import { query, type Statement } from '../../platform/database/database.js';
import { staysSql } from '../cells/moving.js';
import { statusInQueueSql } from './turns.js';

/** Keys that endpoints keep waiting stay for long, so one call looks at a part of them. */
const PART_ROWS = 200;
/** The next sweep continues: other sweeps wait meanwhile. */
const SWEEP_ROWS = 100_000;

/** SQL: whether keys may stand still (Duty.worthIt). */
export const worthWakingSql = 'exists (select from hookwright.ordering_keys)';

interface LeftCursor {
  /** The last key that was read; undefined: begin. */
  after?: { webhookId: number; key: string } | undefined;
}

/**
 * SQL condition: nothing has its turn in the queue of a row with `webhook_id` and `key`. A blocked key stands still on
 * purpose, while its failed delivery is kept.
 */
export const isLeftOverSql = (row: string): string => `coalesce((
  select (head.status in ('PENDING', 'HELD')) is not true and (head.blocked_at is null or head.status is null)
  from (select ${statusInQueueSql()} as status, q.blocked_at from hookwright.ordering_queue q
        where q.webhook_id = ${row}.webhook_id and q.key = ${row}.key order by q.position limit 1) head), true)`;

/** A webhook that keeps no order any more has its queues dissolved, if that was not finished. */
const wakeStatement: Statement = {
  text: `
    with looked as materialized (
      select webhook_id, key, tenant_id from hookwright.ordering_keys
      where (webhook_id, key) > ($1::bigint, $2::text)
      order by webhook_id, key limit ${PART_ROWS}),
    left_over as materialized (
      select l.* from looked l where ${isLeftOverSql('l')} and ${staysSql('l.tenant_id')}),
    unordered as materialized (
      select l.webhook_id, l.tenant_id from (select distinct webhook_id, tenant_id from looked) l
      where ${staysSql('l.tenant_id')} and not exists (select from hookwright.webhook_options o
                        where o.webhook_id = l.webhook_id and o.ordering_by <> 'NONE'))
    select (select count(*)::integer from left_over) as found,
           (select count(*)::integer from looked) as looked,
           (select json_build_array(webhook_id, key) from looked order by webhook_id desc, key desc limit 1) as last,
           (select cardinality((passed).busy_keys) from (
              select hookwright.pass_turns(array_agg(webhook_id), array_agg(key), array_agg(0::bigint)) as passed
              from left_over having count(*) > 0) woken) as busy,
           (select count(hookwright.enqueue_align(u.webhook_id, u.tenant_id)) from unordered u
            where exists (
              select from looked l join hookwright.ordering_queue q on q.webhook_id = l.webhook_id and q.key = l.key
              where l.webhook_id = u.webhook_id and ${statusInQueueSql()} = 'WAITING')) as aligned`,
};

interface Row {
  found: number;
  looked: number;
  last: [webhookId: number, key: string] | null;
}

/**
 * Wakes the next deliveries of keys in whose queues nothing has its turn: a daemon of a version without queues recorded
 * an outcome, or a job was lost. It goes on at once while it finds any.
 *
 * @returns how many keys
 */
export async function wakeLeftTurns(pool: pg.Pool, cursor: LeftCursor = {}): Promise<number> {
  let total = 0;
  let isMore = true;
  while (isMore && total < SWEEP_ROWS) {
    const { webhookId, key } = cursor.after ?? { webhookId: 0, key: '' };
    const [row] = await query<Row>(pool, wakeStatement, [webhookId, key]);
    const { found, looked, last } = row!;
    cursor.after = looked < PART_ROWS || last === null ? undefined : { webhookId: last[0], key: last[1] };
    total += found;
    isMore = found > 0 && cursor.after !== undefined;
  }
  return total;
}
