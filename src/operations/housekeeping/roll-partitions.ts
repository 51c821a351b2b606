import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { inChunks } from '../../platform/concurrency/in-chunks.js';
import { SQL_STATE, sqlStateOf } from '../../platform/database/driver/sql-state.js';
import { impatientTransaction } from '../../platform/database/impatient-transaction.js';
import { canceledSql, OPEN_STATUSES } from '../deliveries/delivery-state.js';
import { endTurnsSql } from '../ordering/turns.js';

/** Events outlive their deliveries, so that a delivery never loses its body. */
export const EVENT_EXTRA_DAYS = 2;
const DAYS_AHEAD = 14;
const CHUNK_ROWS = 5_000;
const LOCK_MS = 100;
const LOCK_TRIES = 6;
const LOCK_PAUSE_MS = 500;

interface Rolled {
  made: number;
  dropped: string[];
  /** Deliveries that were still pending or held when their day ended: now CANCELED (EXPIRED). */
  expired: number;
}

type Count = (deliveries: number) => void;
type Parent = 'deliveries' | 'attempts' | 'events';

/**
 * Makes the partitions of the coming days and drops those beyond retention. Open deliveries of a dropped day are
 * canceled first.
 *
 * @param retentionDays how long deliveries and attempts are kept
 * @param onExpired called with the number of canceled deliveries at once: later steps may fail
 */
export async function rollPartitions(
  pool: pg.Pool,
  retentionDays: number,
  onExpired: Count = () => {},
): Promise<Rolled> {
  const { rows } = await pool.query<{ made: number }>('select hookwright.make_partitions($1) as made', [DAYS_AHEAD]);
  const rolled: Rolled = { made: rows[0]?.made ?? 0, dropped: [], expired: 0 };
  const count: Count = (expired) => {
    rolled.expired += expired;
    onExpired(expired);
  };
  for (const [parent, days] of [
    ['deliveries', retentionDays],
    ['attempts', retentionDays],
    ['events', retentionDays + EVENT_EXTRA_DAYS],
  ] as const) {
    for (const partition of await partitionsBefore(pool, parent, days)) {
      const open = await openWith(pool, parent, partition);
      if (open !== null) {
        await expire(pool, open, count);
      }
      await drop(pool, { parent, partition, open }, count);
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

interface Open {
  table: string;
  /** SQL. */
  condition: string;
}

/** @returns the open deliveries that would be lost with a partition, or would have no body to send; null: none */
export async function openWith(pool: pg.Pool, parent: Parent, partition: string): Promise<Open | null> {
  if (parent !== 'events') {
    return parent === 'deliveries' ? { table: partition, condition: 'true' } : null;
  }
  const { rows } = await pool.query<{ below: number }>(
    `select hookwright.id_at((right($1, 8)::date + 1)::timestamp at time zone 'UTC') as below`,
    [partition],
  );
  // As a number, by which the planner sees how few they are, and looks for them by their event.
  return { table: 'deliveries', condition: `event_id < ${rows[0]!.below}` };
}

/**
 * Cancels by state: pending and held ones have indexes, and a day has millions of ended deliveries. Those that wait go
 * before the ones that they wait for.
 */
export async function expire(on: pg.Pool | pg.PoolClient, { table, condition }: Open, count: Count): Promise<void> {
  // Deliveries that wait have no index of their own, but stand in a queue.
  const tableOf = (status: string) =>
    status === 'WAITING'
      ? `hookwright.ordering_queue q join hookwright.${table} d on d.id = q.delivery_id`
      : `hookwright.${table}`;
  for (const status of OPEN_STATUSES.toSorted((a, b) => Number(b === 'WAITING') - Number(a === 'WAITING'))) {
    const endTurns = endTurnsSql(status === 'WAITING' ? 'WAITING' : 'OPEN');
    await inChunks(CHUNK_ROWS, async () => {
      const { rows } = await on.query<{ expired: number }>(
        `with moved as (
           update hookwright.${table}
           set ${canceledSql('EXPIRED')}
           where status = '${status}' and id = any(array(
             select id from ${tableOf(status)} where status = '${status}' and ${condition} limit ${CHUNK_ROWS}))
           returning id, tenant_id, ordering_key),
         ended as (${endTurns})
         select count(*)::integer as expired from moved where (select count(*) from ended) >= 0`,
      );
      const expired = rows[0]?.expired ?? 0;
      count(expired);
      return expired;
    });
  }
}

/**
 * Each try waits for a moment only: later statements queue behind a waiting lock of the parent. Under the lock,
 * deliveries that were reopened since `expire` are canceled.
 *
 * @throws DatabaseError lock_not_available (55P03) when a reader had the table locked in all tries
 */
async function drop(
  pool: pg.Pool,
  { parent, partition, open }: { parent: Parent; partition: string; open: Open | null },
  count: Count,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      let crossed = 0;
      await impatientTransaction(pool, LOCK_MS, async (client) => {
        await client.query(`lock table only hookwright.${parent}, hookwright.${partition}`);
        if (open !== null) {
          await expire(client, open, (deliveries) => (crossed += deliveries));
        }
        await client.query(`drop table hookwright.${partition}`);
      });
      return count(crossed);
    } catch (error) {
      if (sqlStateOf(error) !== SQL_STATE.LOCK_NOT_AVAILABLE || tries === LOCK_TRIES) {
        throw error;
      }
      await delay(LOCK_PAUSE_MS);
    }
  }
}
