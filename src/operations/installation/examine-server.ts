import type pg from 'pg';
import { type ReplicationFacts, readReplication } from './read-replication.js';

/** The doctor's figures of the server. */
export interface ServerFacts {
  version: number;
  versionText: string;
  /** Settings that a commit needs to survive a crash, with their values. */
  durability: { fsync: string; synchronous_commit: string; full_page_writes: string };
  replication: ReplicationFacts;
  maxConnections: number;
  connections: number;
  /** Sessions of other logins in this database, whose state Postgres hides from this one. */
  hiddenSessions: number;
  isStandby: boolean;
  /** Postgres' clock. */
  clock: Date;
  mayUseApiRole: boolean;
  apiRoleExists: boolean;
  /** The user of DATABASE_URL. */
  user: string;
  /** Seconds of the oldest open transaction, and of the oldest one that does nothing, in this database. */
  oldestTransactionSeconds: number;
  oldestIdleTransactionSeconds: number;
  /** Sessions whose open transaction has rows of our tables locked, the oldest ones. */
  lockingSessions: { pid: number; user: string; application: string; seconds: number }[];
  databaseSize: string;
  /** The largest tables when Postgres last looked, partitions counted with their parents, with indexes. */
  tables: { name: string; size: string }[];
  /** Tables where more rows are dead than alive, and autovacuum has not come. */
  unvacuumed: { name: string; dead: number; live: number }[];
}

const LOCKING_SESSIONS_MAX = 5;
const DEAD_ROWS_MIN = 50_000;
/** Any role can see a session's owner; its state and query only the owner and members of pg_read_all_stats. */
const IS_OF_A_LOGIN = 'datid is not null and usesysid is not null';

/**
 * SQL: the right to take a role, for `pg_has_role`. From Postgres 16 on a member may lack it, as the maker of a role
 * does.
 */
export const MAY_BECOME = `case when current_setting('server_version_num')::integer < 160000 then 'member' else 'set' end`;

/** @throws what the database throws */
export async function examineServer(client: pg.ClientBase, apiRole: string): Promise<ServerFacts> {
  const { rows } = await client.query({
    name: 'examine_server',
    text: `select current_setting('server_version_num')::integer as version,
            current_setting('server_version') as "versionText",
            json_build_object('fsync', current_setting('fsync'),
              'synchronous_commit', current_setting('synchronous_commit'),
              'full_page_writes', current_setting('full_page_writes')) as durability,
            current_setting('max_connections')::integer as "maxConnections",
            (select count(*)::integer from pg_stat_activity
             where coalesce(backend_type = 'client backend', ${IS_OF_A_LOGIN})) as connections,
            (select count(*)::integer from pg_stat_activity
             where datname = current_database() and backend_type is null and ${IS_OF_A_LOGIN}) as "hiddenSessions",
            current_user::text as user,
            pg_is_in_recovery() as "isStandby",
            clock_timestamp() as clock,
            exists (select from pg_roles where rolname = $1) as "apiRoleExists",
            coalesce((select pg_has_role(current_user, oid, ${MAY_BECOME}) from pg_roles where rolname = $1), false)
              as "mayUseApiRole",
            coalesce((select extract(epoch from max(clock_timestamp() - xact_start)) from pg_stat_activity
                      where datname = current_database() and pid <> pg_backend_pid()
                        and backend_type = 'client backend'), 0)::float8 as "oldestTransactionSeconds",
            coalesce((select extract(epoch from max(clock_timestamp() - state_change)) from pg_stat_activity
                      where datname = current_database() and state like 'idle in transaction%'), 0)::float8
              as "oldestIdleTransactionSeconds",
            pg_size_pretty(pg_database_size(current_database())) as "databaseSize"`,
    values: [apiRole],
  });
  const tables = await client.query({
    name: 'largest_tables',
    // By what vacuum wrote down: to measure them, Postgres would open each partition with its indexes.
    text: `with parts as (
       select coalesce(x.indrelid, c.oid) as holder, c.relpages
       from pg_class c left join pg_index x on x.indexrelid = c.oid where c.relpages > 0 and c.relkind in ('r', 't', 'i')),
     sizes as (
       select coalesce(owner.oid, holder) as oid, sum(parts.relpages::bigint * current_setting('block_size')::bigint) as bytes
       from parts left join pg_class owner on owner.reltoastrelid = holder group by 1)
     select coalesce(parent.relname, c.relname)::text as name, pg_size_pretty(sum(bytes)) as size
     from sizes join pg_class c using (oid)
     left join pg_inherits i on i.inhrelid = c.oid
     left join pg_class parent on parent.oid = i.inhparent
     where c.relnamespace in (to_regnamespace('hookwright'), to_regnamespace('hookwright_jobs'))
     group by 1 order by sum(bytes) desc limit 6`,
  });
  const unvacuumed = await client.query({
    name: 'unvacuumed_tables',
    text: `select relname::text as name, n_dead_tup::integer as dead, n_live_tup::integer as live from pg_stat_user_tables
     where schemaname in ('hookwright', 'hookwright_jobs')
       and n_dead_tup > ${DEAD_ROWS_MIN} and n_dead_tup > n_live_tup
     order by n_dead_tup desc limit 5`,
  });
  const locking = await client.query({
    name: 'locking_sessions',
    text: `select a.pid, a.usename::text as "user", a.application_name as application,
            extract(epoch from clock_timestamp() - a.xact_start)::float8 as seconds
     from pg_stat_activity a
     where a.datname = current_database() and a.backend_type = 'client backend'
       and a.pid <> pg_backend_pid()
       and exists (select from pg_locks l
                   join pg_class c on c.oid = l.relation
                   join pg_namespace n on n.oid = c.relnamespace
                   where l.pid = a.pid and l.granted and l.mode not in ('AccessShareLock', 'ShareUpdateExclusiveLock')
                     and n.nspname in ('hookwright', 'hookwright_jobs') and c.relkind in ('r', 'p'))
     order by a.xact_start limit ${LOCKING_SESSIONS_MAX}`,
  });
  const replication = await readReplication(client);
  return { ...rows[0], replication, lockingSessions: locking.rows, tables: tables.rows, unvacuumed: unvacuumed.rows };
}
