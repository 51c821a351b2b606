import type pg from 'pg';
import { query, type Statement } from '../../database/database.js';
import { lastRunSql } from '../../graphile-worker/schema.js';
import { HOUSEKEEPING_TASK } from '../jobs/tasks.js';

/** A backlog is counted up to this: a million rows of an index are not worth reading each time. */
export const INSTALLATION_COUNT_MAX = 50_000;

export interface HousekeepingRuns {
  /** When it was last started; null: never. */
  startedAt: Date | null;
  /** When a run last succeeded; null: never. */
  succeededAt: Date | null;
  /** The last run's failure; null: it succeeded, or there was none. */
  failure: { at: Date; error: string } | null;
}

/** How the whole installation is doing, whatever process asks. */
export interface Installation {
  /** Pending deliveries whose time has come; at most INSTALLATION_COUNT_MAX are counted, here and in the next two. */
  due: number;
  /** Pending deliveries whose time comes later: retries. */
  scheduled: number;
  held: number;
  /** Age of the oldest due time; 0: nothing is due. Put-offs do not move it, so one slow endpoint makes it grow. */
  oldestDueSeconds: number;
  /** The number of days from tomorrow on that have all their partitions. */
  partitionDaysAhead: number;
  housekeeping: HousekeepingRuns;
  activeWebhooks: number;
  /** Webhooks that the service has disabled because of their receivers; pauses do not count. */
  disabledWebhooks: number;
}

/** Each count ends at its limit, and reads nothing but a partial index. */
const statement: Statement = {
  name: 'read_installation',
  text: `
    select
      (select count(*)::integer from (
         select from hookwright.deliveries where status = 'PENDING' and due_at <= now() limit ${INSTALLATION_COUNT_MAX}) d) as due,
      (select count(*)::integer from (
         select from hookwright.deliveries where status = 'PENDING' and due_at > now() limit ${INSTALLATION_COUNT_MAX}) d) as scheduled,
      (select count(*)::integer from (
         select webhook_id from hookwright.deliveries where status = 'HELD' limit ${INSTALLATION_COUNT_MAX}) d) as held,
      (select coalesce(greatest(extract(epoch from now() - min(due_at)), 0), 0)::float8
       from hookwright.deliveries where status = 'PENDING') as oldest_due_seconds,
      (select count(*)::integer from (
         select right(c.relname, 8) as day from pg_inherits i join pg_class c on c.oid = i.inhrelid
         where i.inhparent in ('hookwright.events'::regclass, 'hookwright.deliveries'::regclass,
                               'hookwright.attempts'::regclass)
           and right(c.relname, 8) > to_char(now() at time zone 'UTC', 'YYYYMMDD')
         group by 1 having count(*) = 3) days) as partition_days_ahead,
      (${lastRunSql(HOUSEKEEPING_TASK)}) as housekeeping_started_at, h.succeeded_at, h.failed_at, h.error,
      (select count(*)::integer from hookwright.webhooks where active and deleted_at is null) as active_webhooks,
      (select count(*)::integer from hookwright.webhooks
       where disabled_reason <> 'PAUSED' and not active and deleted_at is null) as disabled_webhooks
    from hookwright.housekeeping h`,
};

interface Row {
  due: number;
  scheduled: number;
  held: number;
  oldest_due_seconds: number;
  partition_days_ahead: number;
  housekeeping_started_at: Date | null;
  succeeded_at: Date | null;
  failed_at: Date | null;
  error: string | null;
  active_webhooks: number;
  disabled_webhooks: number;
}

/** @throws what the database throws; works for all tenants, so not as the API's role */
export async function readInstallation(pool: pg.Pool | pg.PoolClient): Promise<Installation> {
  const [row] = await query<Row>(pool, statement, []);
  const read = row as Row;
  return {
    due: read.due,
    scheduled: read.scheduled,
    held: read.held,
    oldestDueSeconds: read.oldest_due_seconds,
    partitionDaysAhead: read.partition_days_ahead,
    housekeeping: {
      startedAt: read.housekeeping_started_at,
      succeededAt: read.succeeded_at,
      failure: read.error === null || read.failed_at === null ? null : { at: read.failed_at, error: read.error },
    },
    activeWebhooks: read.active_webhooks,
    disabledWebhooks: read.disabled_webhooks,
  };
}
