import type pg from 'pg';
import { hasNoLiveJobSql, jobsAsideSql } from '../../platform/graphile-worker/job-conditions.js';
import { CONTROL_NAME, lockOwnersSql, poolLockSql } from '../../platform/graphile-worker/worker-pools.js';
import { isHoldEndingSql } from '../attempts/raise-events.js';
import type { ClosedBacklog } from '../explorer/read-backlog.js';
import { pendingSql } from '../jobs/tasks.js';
import { leftTurnsSql } from '../ordering/left-turns.js';
import { closedBacklogOfTablesSql } from './closed-backlog.js';
import { ALIVE_SECONDS } from './daemons.js';
import { futureTimesSql } from './future-times.js';
import { ignoredFiltersSql } from './ignored-filters.js';

/** The doctor's figures of the deliveries, besides the backlog. */
export interface DeliveryFacts {
  /** Connected daemons. */
  daemons: number;
  /** The versions of daemons that have reported of late. */
  daemonVersions: string[];
  /** Pools of workers that have jobs locked and whose process has gone. */
  deadPools: number;
  /** Deliveries without a job, among the first `LOOKED_MAX` overdue ones. */
  lost: number;
  /** Ordering keys, among the first, in whose queues nothing has its turn. */
  leftTurns: number;
  /** Whether scheduled events are late, and none is emitted, or some cannot be. */
  scheduledStand: boolean;
  /** Webhooks whose held deliveries are canceled within a day, or when half of a shorter hold is over. */
  holdsEndingSoon: number;
  /** Jobs that were fetched again and again without being finished. */
  quarantined: number;
  /** Rows with a time that a wrong clock of Postgres has left. */
  futureTimes: number;
  /** Webhooks and tenants that emits treat as if they had other options. */
  ignoredFilters: number;
  closed: ClosedBacklog;
}

/** Longer than the sweep for them takes. */
const LOST_AFTER_SECONDS = 180;
const LOOKED_MAX = 10_000;

/**
 * SQL condition. Emitting all that are due at one moment takes a while. An event that could not be emitted is due again
 * in two seconds, which shows in its `due_at`.
 */
const scheduledStandSql = `(
  exists (
    select from hookwright.scheduled_events
    where status = 'SCHEDULED' and due_at < now() - interval '1 minute')
  and not exists (
    select from hookwright.scheduled_events
    where finished_at > now() - interval '1 minute' and (status = 'EMITTED' or error is not null))
  or exists (
    select from hookwright.scheduled_events
    where status = 'SCHEDULED' and due_at between now() - interval '1 minute' and now() + interval '2 seconds'
      and deliver_at < due_at - interval '1 minute'))`;

/** @throws what the database throws */
export async function examineDeliveries(client: pg.ClientBase): Promise<DeliveryFacts> {
  const { rows: closed } = await client.query<ClosedBacklog>({
    name: 'closed_backlog',
    text: closedBacklogOfTablesSql,
  });
  const { rows } = await client.query({
    name: 'examine_deliveries',
    text: `select
       (select count(*)::integer from pg_stat_activity
        where datname = current_database() and application_name = $1) as daemons,
       array(select distinct version from hookwright.daemons
             where last_seen_at > now() - interval '${ALIVE_SECONDS} s' order by 1) as "daemonVersions",
       (select count(*)::integer from (
          select from (
            select d.id, d.attempt_count, d.job_group from hookwright.deliveries d
            where d.status = 'PENDING' and d.due_at < now() - $2 * interval '1 second'
            order by d.due_at limit ${LOOKED_MAX}) overdue
          where ${hasNoLiveJobSql('overdue', '$2')}) lost) as lost,
       ${leftTurnsSql} as "leftTurns",
       ${scheduledStandSql} as "scheduledStand",
       (select count(*)::integer from hookwright.webhooks w
        where not w.active and w.deleted_at is null and ${isHoldEndingSql('w')}
          and exists (select from hookwright.deliveries d where d.webhook_id = w.id and d.status = 'HELD'))
         as "holdsEndingSoon",
       -- Looked up among the locks, not tried: a try has it for a moment.
       (select count(*)::integer from (${lockOwnersSql}) owner
        where not exists (
          select from pg_locks l
          where l.locktype = 'advisory' and l.objsubid = 1
            and (l.classid::bigint << 32 | l.objid::bigint) = ${poolLockSql('owner.id')})) as "deadPools",
       (select count(*)::integer from (${jobsAsideSql(pendingSql)}) suspects) as quarantined,
       ${ignoredFiltersSql} as "ignoredFilters",
       ${futureTimesSql} as "futureTimes"`,
    values: [CONTROL_NAME, LOST_AFTER_SECONDS],
  });
  return { ...rows[0], closed: closed[0] };
}
