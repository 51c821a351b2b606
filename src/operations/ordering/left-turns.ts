import type pg from 'pg';
import { inChunks } from '../../platform/concurrency/in-chunks.js';
import { query, type Statement } from '../../platform/database/database.js';
import { statusInQueueSql } from './turns.js';

const CHUNK_ROWS = 10_000;
/** The next sweep continues: other sweeps wait meanwhile. */
const SWEEP_ROWS = 100_000;

/** SQL: whether keys may stand still (Duty.worthIt). */
export const worthWakingSql = 'exists (select from hookwright.ordering_keys)';

interface LeftCursor {
  /** The last key that was read; undefined: begin. */
  after?: { webhookId: number; key: string } | undefined;
}

/**
 * SQL, common table expressions: `left_over` has those of some keys (`looked`) in whose queues nothing has its turn. A
 * blocked key stands still on purpose, while its failed delivery is kept.
 */
const leftOverSql = `
    left_over as materialized (
      select l.webhook_id, l.key, l.tenant_id from looked l
      left join lateral (
        select ${statusInQueueSql()} as status, q.blocked_at from hookwright.ordering_queue q
        where q.webhook_id = l.webhook_id and q.key = l.key order by q.position limit 1) head on true
      where (head.status in ('PENDING', 'HELD')) is not true and (head.blocked_at is null or head.status is null))`;

/** SQL: the number of keys, of the first ones, in whose queues nothing has its turn. */
export const leftTurnsSql = `(
  with looked as materialized (
    select webhook_id, key, tenant_id from hookwright.ordering_keys order by webhook_id, key limit ${CHUNK_ROWS}),
  ${leftOverSql}
  select count(*)::integer from left_over)`;

/** A webhook that keeps no order any more has its queues dissolved, if that was not finished. */
const wakeStatement: Statement = {
  text: `
    with looked as materialized (
      select webhook_id, key, tenant_id from hookwright.ordering_keys
      where (webhook_id, key) > ($1::bigint, $2::text)
      order by webhook_id, key limit ${CHUNK_ROWS}),
    ${leftOverSql},
    unordered as materialized (
      select distinct l.webhook_id, l.tenant_id from looked l
      where not exists (select from hookwright.webhook_options o
                        where o.webhook_id = l.webhook_id and o.ordering_by <> 'NONE')
        and exists (select from hookwright.ordering_queue q
                    where q.webhook_id = l.webhook_id and q.key = l.key and ${statusInQueueSql()} = 'WAITING'))
    select (select count(*)::integer from left_over) as found,
           (select count(*)::integer from looked) as looked,
           (select json_build_array(webhook_id, key) from looked order by webhook_id desc, key desc limit 1) as last,
           (select cardinality((passed).busy_keys) from (
              select hookwright.pass_turns(array_agg(webhook_id), array_agg(key), array_agg(0::bigint)) as passed
              from left_over having count(*) > 0) woken) as busy,
           (select count(hookwright.enqueue_align(webhook_id, tenant_id)) from unordered) as aligned`,
};

interface Row {
  found: number;
  looked: number;
  last: [webhookId: number, key: string] | null;
}

/**
 * Wakes the next deliveries of keys in whose queues nothing has its turn: a daemon of a version without queues recorded
 * an outcome, or a job was lost.
 *
 * @returns how many keys
 */
export async function wakeLeftTurns(pool: pg.Pool, cursor: LeftCursor = {}): Promise<number> {
  let found = 0;
  const wakeChunk = async () => {
    const { webhookId, key } = cursor.after ?? { webhookId: 0, key: '' };
    const [row] = await query<Row>(pool, wakeStatement, [webhookId, key]);
    const { found: more, looked, last } = row!;
    found += more;
    cursor.after = looked < CHUNK_ROWS || last === null ? undefined : { webhookId: last[0], key: last[1] };
    return looked;
  };
  await inChunks(CHUNK_ROWS, wakeChunk, SWEEP_ROWS);
  return found;
}
