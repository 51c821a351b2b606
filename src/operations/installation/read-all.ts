import type { HasPool, Statement } from '../../platform/database/database.js';
import { tenantQuery } from '../../platform/database/tenant-database.js';
import type { Backlog } from '../explorer/read-backlog.js';
import { countSql, INSTALLATION_COUNT_MAX } from './open-deliveries.js';

/** Reads of all tenants, for the installation itself: through views that are empty for a tenant. */

type Db = HasPool;

const countOf = (condition: string) => countSql(condition, 'all_deliveries');

const backlogStatement: Statement = {
  name: 'read_backlog_of_all',
  text: `
    select ${countOf(`status = 'PENDING' and due_at <= now()`)} as due,
           ${countOf(`status = 'PENDING' and due_at > now()`)} as scheduled, ${countOf(`status = 'HELD'`)} as held,
           case when exists (select from hookwright.all_ordering_queue) then ${countOf(`status = 'WAITING'`)} else 0 end
             as waiting,
           (select case when due_at <= now() then due_at end from hookwright.all_deliveries
            where status = 'PENDING' order by due_at limit 1) as "oldestDueAt"`,
};

export async function readBacklogOfAll({ pool }: Db): Promise<Backlog> {
  const [row] = await tenantQuery<Omit<Backlog, 'countMax'>>(pool, null, backlogStatement, []);
  return { ...row!, countMax: INSTALLATION_COUNT_MAX };
}

/** A part of a table, for one UTC day. */
interface Partition {
  table: string;
  since: Date;
  until: Date;
  /** Postgres' last estimate; null: there is none yet. */
  rowsEstimate: number | null;
  /** Indexes included. */
  bytes: number;
}

const partitionsStatement: Statement = {
  name: 'read_partitions',
  text: `
    select parent.relname::text as "table", day::timestamp at time zone 'UTC' as since,
           (day + 1)::timestamp at time zone 'UTC' as until,
           case when c.reltuples >= 0 then c.reltuples::float8 end as "rowsEstimate",
           pg_total_relation_size(c.oid)::float8 as bytes
    from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class parent on parent.oid = i.inhparent
    cross join lateral (select right(c.relname, 8)::date as day) d
    where i.inhparent in ('hookwright.events'::regclass, 'hookwright.deliveries'::regclass,
                          'hookwright.attempts'::regclass)
    order by day desc, parent.relname`,
};

export const readPartitions = ({ pool }: Db): Promise<Partition[]> =>
  tenantQuery<Partition>(pool, null, partitionsStatement, []);

/** This many of the newest deliveries are read. */
export const FAILURES_LOOKED = 20_000;

const failuresStatement: Statement = {
  name: 'read_failures_of_all',
  text: `
    select last_error_code as "errorCode", count(*)::integer as deliveries
    from (select last_error_code from hookwright.all_deliveries order by id desc limit ${FAILURES_LOOKED}) looked
    where last_error_code is not null group by 1 order by 2 desc, 1`,
};

/** The last failures of the newest deliveries of all tenants, by reason; the most frequent one first. */
export const readFailuresOfAll = ({ pool }: Db): Promise<{ errorCode: string; deliveries: number }[]> =>
  tenantQuery<{ errorCode: string; deliveries: number }>(pool, null, failuresStatement, []);
