import type pg from 'pg';
import { INSTALLATION_TENANT } from '../../domain/installation/installation-tenant.js';
import { jobsAsideSql } from '../../platform/graphile-worker/job-conditions.js';
import { CONTROL_NAME, lockOwnersSql, poolLockSql } from '../../platform/graphile-worker/worker-pools.js';
import type { ClosedBacklog } from '../explorer/read-backlog.js';
import { pendingSql } from '../jobs/tasks.js';
import { closedBacklogOfTablesSql } from './closed-backlog.js';
import { ALIVE_SECONDS } from './daemons.js';
import { futureTimesSql } from './future-times.js';
import { type Progress, searchAll, searchPart } from './search-parts.js';
import { type Searched, type SearchName, searches } from './searches.js';

/** The doctor's figures of the deliveries, besides the backlog. */
export interface DeliveryFacts {
  /** Connected daemons. */
  daemons: number;
  /** The versions of daemons that have reported of late. */
  daemonVersions: string[];
  /** Pools of workers that have jobs locked and whose process has gone. */
  deadPools: number;
  /** Whether scheduled events are late, and none is emitted, or some cannot be. */
  scheduledStand: boolean;
  /** Jobs that were fetched again and again without being finished. */
  quarantined: number;
  /** Webhooks of the installation that failures have disabled, or that are gone. */
  ownDisabled: number;
  /** Webhooks whose endpoints have proved nothing yet; UNVERIFIED_COUNTED: that many or more. */
  unverified: number;
  /** Tenants with limits of their own; LIMITED_COUNTED: that many or more. */
  limitedTenants: number;
  /** Rows with a time that a wrong clock of Postgres has left, besides those that are searched for. */
  futureTimes: number;
  closed: Omit<ClosedBacklog, 'oldestOtherDueAt'>;
  searched: Searched;
}

const SCHEDULED_LOOKED = 10_000;
export const UNVERIFIED_COUNTED = 1_000;
export const LIMITED_COUNTED = 1_000;

/**
 * SQL condition. Emitting all that are due at one moment takes a while. An event that could not be emitted is due again
 * in two seconds, which shows in its `due_at`.
 */
const scheduledStandSql = `(
  (select min(due_at) from hookwright.scheduled_events where status = 'SCHEDULED') < now() - interval '1 minute'
  and not exists (
    select from hookwright.scheduled_events
    where finished_at > now() - interval '1 minute' and (status = 'EMITTED' or error is not null))
  or exists (
    select from (
      select due_at, deliver_at from hookwright.scheduled_events
      where status = 'SCHEDULED' and due_at between now() - interval '1 minute' and now() + interval '2 seconds'
      order by due_at limit ${SCHEDULED_LOOKED}) soon
    where deliver_at < due_at - interval '1 minute'))`;

/**
 * @param before how far searches came at the last report; null: they look at all rows
 * @throws what the database throws
 */
export async function examineDeliveries(
  client: pg.ClientBase,
  before: Partial<Searched> | null,
): Promise<DeliveryFacts> {
  const { rows: closed } = await client.query<DeliveryFacts['closed']>({
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
       ${scheduledStandSql} as "scheduledStand",
       -- Looked up among the locks, not tried: a try has it for a moment.
       (select count(*)::integer from (${lockOwnersSql}) owner
        where not exists (
          select from pg_locks l
          where l.locktype = 'advisory' and l.objsubid = 1
            and (l.classid::bigint << 32 | l.objid::bigint) = ${poolLockSql('owner.id')})) as "deadPools",
       (select count(*)::integer from (${jobsAsideSql(pendingSql)}) suspects) as quarantined,
       (select count(*)::integer from hookwright.webhooks
        where tenant_id = ${INSTALLATION_TENANT} and deleted_at is null and not active
          and disabled_reason in ('FAILURES', 'GONE')) as "ownDisabled",
       (select count(*)::integer from (
          select from hookwright.verifications v join hookwright.webhooks w on w.id = v.webhook_id
          where v.status <> 'VERIFIED' and w.deleted_at is null limit ${UNVERIFIED_COUNTED}) v) as "unverified",
       (select count(*)::integer from (
          select from hookwright.tenants where limited_since is not null and deleted_at is null
          limit ${LIMITED_COUNTED}) t) as "limitedTenants",
       ${futureTimesSql} as "futureTimes"`,
    values: [CONTROL_NAME],
  });
  const searched: Partial<Record<SearchName, Progress>> = {};
  for (const name of Object.keys(searches) as SearchName[]) {
    searched[name] =
      before === null
        ? await searchAll(client, searches[name])
        : await searchPart(client, `search_${name}`, searches[name], before[name]);
  }
  return { ...rows[0], closed: closed[0], searched };
}
