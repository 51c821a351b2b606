import type pg from 'pg';
import { transaction } from '../database/database.js';
import { inChunks } from './in-chunks.js';

/** Events outlive their deliveries, so that a delivery never loses its body. */
const EVENT_EXTRA_DAYS = 2;
const DAYS_AHEAD = 14;
const CHUNK_ROWS = 5_000;

export interface Rolled {
  made: number;
  dropped: string[];
  /** Deliveries that were still pending or held when their day ended: now CANCELED (EXPIRED). */
  expired: number;
}

type Count = (deliveries: number) => void;

/**
 * Makes the partitions of the coming days and drops those beyond retention, each a whole day. What is still open on a
 * day that is dropped is canceled first, so that it is counted and no job finds it half gone.
 *
 * @param retentionDays how long deliveries and attempts are kept
 * @param onExpired called with how many deliveries were canceled, as soon as they are: what comes after may fail
 */
export async function rollPartitions(
  pool: pg.Pool,
  retentionDays: number,
  onExpired: Count = () => {},
): Promise<Rolled> {
  const { rows } = await pool.query<{ made: number }>('select hookwright.make_partitions($1) as made', [
    DAYS_AHEAD,
  ]);
  const rolled: Rolled = { made: rows[0]?.made ?? 0, dropped: [], expired: 0 };
  const count: Count = (expired) => {
    rolled.expired += expired;
    onExpired(expired);
  };
  for (const partition of await partitionsBefore(pool, 'deliveries', retentionDays)) {
    await expireOpen(pool, partition, count);
    await drop(pool, partition);
    rolled.dropped.push(partition);
  }
  for (const [parent, days] of [
    ['attempts', retentionDays],
    ['events', retentionDays + EVENT_EXTRA_DAYS],
  ] as const) {
    for (const partition of await partitionsBefore(pool, parent, days)) {
      if (parent === 'events') {
        await expireReplayed(pool, partition, count);
      }
      await drop(pool, partition);
      rolled.dropped.push(partition);
    }
  }
  return rolled;
}

async function partitionsBefore(pool: pg.Pool, parent: string, days: number): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select hookwright.partitions_before($1, (now() at time zone 'UTC')::date - $2::integer) as name`,
    [parent, days],
  );
  return rows.map(({ name }) => name);
}

/** What is still open on a day. */
export const expireOpen = (pool: pg.Pool, partition: string, count: Count): Promise<void> =>
  expire(pool, partition, 'true', count);

/**
 * Events outlive the deliveries that were made with them, but not those that a replay makes later: such a delivery that
 * is still open when its event goes would have no body to send.
 *
 * @param partition of events, and all before it
 */
export async function expireReplayed(pool: pg.Pool, partition: string, count: Count): Promise<void> {
  const { rows } = await pool.query<{ last: number | null }>(
    `select max(id) as last from hookwright.${partition}`,
  );
  // As a number, by which the planner sees how few they are, and looks for them by their event.
  await expire(pool, 'deliveries', `event_id <= ${rows[0]?.last ?? 0}`, count);
}

/** State by state: each has an index of its own, and a day has millions that are neither. */
async function expire(pool: pg.Pool, table: string, condition: string, count: Count): Promise<void> {
  for (const status of ['PENDING', 'HELD']) {
    await inChunks(CHUNK_ROWS, async () => {
      const { rowCount } = await pool.query(
        `update hookwright.${table}
         set status = 'CANCELED', cancel_reason = 'EXPIRED', finished_at = now()
         where status = '${status}' and id = any(array(
           select id from hookwright.${table} where status = '${status}' and ${condition} limit ${CHUNK_ROWS}))`,
      );
      count(rowCount ?? 0);
      return rowCount ?? 0;
    });
  }
}

/**
 * Dropping locks the parent for a moment. Better to fail and come back in an hour than to queue everybody behind us.
 */
async function drop(pool: pg.Pool, partition: string): Promise<void> {
  await transaction(pool, async (client) => {
    await client.query(`set local lock_timeout = '3s'`);
    await client.query(`drop table hookwright.${partition}`);
  });
}
