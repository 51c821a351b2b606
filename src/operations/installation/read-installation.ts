import type pg from 'pg';
import { query, type Statement } from '../../platform/database/database.js';
import { lastRunSql } from '../../platform/graphile-worker/schema.js';
import { isEndingSql } from '../certificates/warn-of-ending.js';
import { HOUSEKEEPING_TASK } from '../jobs/tasks.js';
import { OLDEST_LOOKED, oldestOtherSql } from './oldest-other.js';
import { countOpen, ifQueuedSql, type OpenByDay, type OpenCounts } from './open-deliveries.js';

/** Larger numbers of webhooks are estimates. */
export const WEBHOOKS_COUNTED = 1_000;
/** Webhooks whose certificates end soon are counted up to this number. */
export const CERTIFICATES_LOOKED = 1_000;

export interface HousekeepingRuns {
  /** When it was last started; null: never. */
  startedAt: Date | null;
  /** When a run last succeeded; null: never. */
  succeededAt: Date | null;
  /** The last run's failure; null: it succeeded, or there was none. */
  failure: { at: Date; error: string } | null;
}

/** The last failover. */
export interface Failover {
  at: Date;
  fromTimeline: number;
  toTimeline: number;
  /** Null: no daemon knows. */
  wasSynchronous: boolean | null;
  /** Accepted in so many seconds before it and perhaps lost, unless it was synchronous; null: no daemon knows. */
  lostSeconds: number | null;
  /** Outcomes whose delivery is not in the table. */
  unknownOutcomes: number;
}

/** How the whole installation is doing, whatever process asks. */
export interface Installation extends OpenCounts {
  /** Age of the oldest delivery that waits for earlier ones of its ordering key; 0: none waits. */
  oldestWaitingSeconds: number;
  /** How late the oldest scheduled event is that was not emitted yet; 0: none is due. */
  scheduledLateSeconds: number;
  /** Age of the oldest due time; 0: nothing is due. Put-offs do not move it, so one slow endpoint makes it grow. */
  oldestDueSeconds: number;
  /**
   * The same of those whose endpoints do not want them to wait: no pause, rate or probe is the reason. The first
   * `OLDEST_LOOKED` due ones are looked at; behind them a report finds those that are late (`searches.late`).
   */
  oldestLateSeconds: number;
  /** The number of days from tomorrow on that have all their partitions. */
  partitionDaysAhead: number;
  housekeeping: HousekeepingRuns;
  /** Null: none was noticed. */
  failover: Failover | null;
  /** Above WEBHOOKS_COUNTED an estimate of Postgres, as the next one. */
  activeWebhooks: number;
  /** Webhooks that the service has disabled because of their receivers; pauses do not count. */
  disabledWebhooks: number;
  /** Webhooks with a certificate that ends soon or has ended; CERTIFICATES_LOOKED: that or more. */
  certificatesEnding: number;
}

/** SQL: the rows of an index when Postgres last looked; null without it. */
const rowsOfIndexSql = (index: string) => `
  (select c.reltuples::integer from pg_class c join pg_index i on i.indexrelid = c.oid and i.indisvalid
   where c.oid = to_regclass('hookwright.${index}'))`;

/**
 * SQL: a number of webhooks, counted up to WEBHOOKS_COUNTED; without an estimate all are. Webhooks change with each
 * outcome, so counting one reads its page.
 */
const webhooksSql = (rows: string, estimate: string) => `
  (select case when count(*) > ${WEBHOOKS_COUNTED} then greatest(count(*), ${estimate}) else count(*) end::integer
   from (${rows} limit case when ${estimate} is not null then ${WEBHOOKS_COUNTED + 1} end) w)`;

/** An index has all of each reason, and shows whether its page need be read. */
const disabledSql = (reason: string) => `
  select from hookwright.webhooks where deleted_at is null and not active and disabled_reason = '${reason}'`;

const oldestWaitingSql = `
  (select coalesce(greatest(extract(epoch from now()) - ((min(id) >> 12) + 1735689600000) / 1000.0, 0), 0)::float8
   from hookwright.deliveries where status = 'WAITING')`;

/** Scheduled events that could not be emitted are due again in two seconds. */
const scheduledLateSql = `
  (select coalesce(greatest(extract(epoch from now() - min(deliver_at)), 0), 0)::float8
   from hookwright.scheduled_events where status = 'SCHEDULED' and due_at <= now() + interval '2 seconds')`;

/** Options are erased with their webhook. */
const certificatesEndingSql = `
  (select count(*)::integer from (
     select from hookwright.webhook_options where ${isEndingSql('certificate_ends_at')}
     limit ${CERTIFICATES_LOOKED}) o)`;

const statement: Statement = {
  name: 'read_installation',
  text: `
    select
      ${ifQueuedSql(oldestWaitingSql)} as "oldestWaitingSeconds",
      ${scheduledLateSql} as "scheduledLateSeconds",
      (select coalesce(greatest(extract(epoch from now() - min(due_at)), 0), 0)::float8
       from hookwright.deliveries where status = 'PENDING') as "oldestDueSeconds",
      coalesce(extract(epoch from now() - ${oldestOtherSql('hookwright.deliveries', OLDEST_LOOKED)}), 0)::float8
        as "oldestLateSeconds",
      (select count(*)::integer from (
         select right(c.relname, 8) as day from pg_inherits i join pg_class c on c.oid = i.inhrelid
         where i.inhparent in ('hookwright.events'::regclass, 'hookwright.deliveries'::regclass,
                               'hookwright.attempts'::regclass)
           and right(c.relname, 8) > to_char(now() at time zone 'UTC', 'YYYYMMDD')
         group by 1 having count(*) = 3) days) as "partitionDaysAhead",
      (${lastRunSql(HOUSEKEEPING_TASK)}) as "startedAt", h.succeeded_at as "succeededAt", h.failed_at as "failedAt", h.error,
      case when h.failed_over_at is not null then json_build_object(
        'at', h.failed_over_at, 'fromTimeline', h.failed_over_from, 'toTimeline', h.timeline,
        'wasSynchronous', h.failover_was_synchronous, 'lostSeconds', h.failover_lost_seconds,
        'unknownOutcomes', case when h.unknown_on = h.timeline then h.unknown_outcomes else 0 end) end as failover,
      ${webhooksSql(
        'select from hookwright.webhooks where deleted_at is null and active order by tenant_id, id desc',
        `${rowsOfIndexSql('webhooks_tenant')} - ${rowsOfIndexSql('webhooks_inactive_of_tenant')}`,
      )} as "activeWebhooks",
      ${webhooksSql(
        `${disabledSql('FAILURES')} union all ${disabledSql('GONE')}`,
        `${rowsOfIndexSql('webhooks_failed')} + ${rowsOfIndexSql('webhooks_gone')}`,
      )} as "disabledWebhooks",
      ${certificatesEndingSql} as "certificatesEnding"
    from hookwright.housekeeping h`,
};

type Row = Omit<Installation, 'housekeeping' | keyof OpenCounts> &
  Omit<HousekeepingRuns, 'failure'> & { failedAt: Date | null; error: string | null };

/**
 * @param before of an earlier call, in a transaction each; null: each day's deliveries are counted
 * @throws what the database throws; works for all tenants, so not as the API's role
 */
export async function readInstallation(
  pool: pg.Pool | pg.PoolClient,
  before: OpenByDay | null = null,
): Promise<Installation & { openByDay: OpenByDay }> {
  const open = await countOpen(pool, before);
  const [row] = await query<Row>(pool, statement, []);
  const { startedAt, succeededAt, failedAt, error, failover, ...figures } = row as Row;
  const failure = error === null || failedAt === null ? null : { at: failedAt, error };
  return {
    ...open,
    ...figures,
    housekeeping: { startedAt, succeededAt, failure },
    failover: failover && { ...failover, at: new Date(failover.at) }, // JSON has texts
  };
}
