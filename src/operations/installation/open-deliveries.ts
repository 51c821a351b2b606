import type pg from 'pg';
import { query, type Statement } from '../../platform/database/database.js';

/** A backlog is counted up to this: a million rows of an index are not worth reading each time. */
export const INSTALLATION_COUNT_MAX = 50_000;

/** Open deliveries by state; each at most INSTALLATION_COUNT_MAX, which means this many or more. */
export interface OpenCounts {
  /** Pending deliveries whose time has come. */
  due: number;
  /** Pending deliveries whose time comes later: retries. */
  scheduled: number;
  held: number;
  /** Deliveries that wait for earlier ones of their ordering keys. */
  waiting: number;
}

/** Counts of each UTC day, as JSON. */
export interface OpenByDay {
  /** A time of Postgres, as text: a Date would lose the microseconds. */
  at: string | null;
  /** By the partition's name, each with how many of its rows Postgres had seen changed. */
  days: Readonly<Record<string, OpenCounts & { changes: string | null }>>;
}

/** SQL: a number of deliveries, which ends at its limit, and reads nothing but a partial index. */
export const countSql = (condition: string, table: string): string => `
  (select count(*)::integer from (
     select from hookwright.${table} where ${condition} limit ${INSTALLATION_COUNT_MAX}) d)`;

/** Without queues nothing waits, and an installation that keeps no order reads no more. */
export const ifQueuedSql = (sql: string) =>
  `case when exists (select from hookwright.ordering_queue) then ${sql} else 0 end`;

const changesSql = ['inserted', 'updated', 'deleted']
  .map((change) => `pg_stat_get_tuples_${change}(c.oid)`)
  .join(' + ');

/** Deliveries that have become due since $1 are counted by it: they have not changed. */
const daysStatement: Statement = {
  name: 'read_changes_of_days',
  text: `
    select c.relname::text as name, now()::text as at, coalesce(due.rows, 0)::integer as "becameDue",
           case when current_setting('track_counts')::boolean then (${changesSql})::text end as changes
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    left join (
      select tableoid, count(*) as rows from (
        select tableoid from hookwright.deliveries
        where status = 'PENDING' and due_at > $1::timestamptz and due_at <= now() limit ${INSTALLATION_COUNT_MAX}) d
      group by 1) due on due.tableoid = c.oid
    where i.inhparent = 'hookwright.deliveries'::regclass`,
};

const ofDaySql = (day: string) => `
  select ${countSql(`status = 'PENDING' and due_at <= now()`, day)} as due,
         ${countSql(`status = 'PENDING' and due_at > now()`, day)} as scheduled,
         ${countSql(`status = 'HELD'`, day)} as held, ${ifQueuedSql(countSql(`status = 'WAITING'`, day))} as waiting`;

/**
 * Counts open deliveries day by day. Where rows have just changed, counting one reads its page, so the counts of a day
 * without changes are kept. Postgres may notice a change a minute late.
 *
 * @param before of an earlier call, in a transaction each: one moment parts what is due; null: each day is counted
 */
export async function countOpen(
  client: pg.Pool | pg.PoolClient,
  before: OpenByDay | null,
): Promise<OpenCounts & { openByDay: OpenByDay }> {
  type Day = { name: string; at: string; becameDue: number; changes: string | null };
  const found = await query<Day>(client, daysStatement, [before?.at ?? null]);
  const mayKeep = found.reduce((sum, { becameDue }) => sum + becameDue, 0) < INSTALLATION_COUNT_MAX;
  const days: Record<string, OpenCounts & { changes: string | null }> = {};
  for (const { name, becameDue, changes } of found) {
    const kept = before?.days[name];
    if (mayKeep && kept && changes !== null && kept.changes === changes && kept.scheduled < INSTALLATION_COUNT_MAX) {
      // A new one may be due before Postgres has counted it as a change.
      days[name] = { ...kept, due: kept.due + becameDue, scheduled: Math.max(0, kept.scheduled - becameDue) };
    } else {
      const [counts] = await query<OpenCounts>(client, { text: ofDaySql(name) }, []);
      days[name] = { ...counts!, changes };
    }
  }
  const sum = (state: keyof OpenCounts) =>
    Math.min(
      INSTALLATION_COUNT_MAX,
      Object.values(days).reduce((total, day) => total + day[state], 0),
    );
  return {
    due: sum('due'),
    scheduled: sum('scheduled'),
    held: sum('held'),
    waiting: sum('waiting'),
    openByDay: { at: found[0]?.at ?? null, days },
  };
}
