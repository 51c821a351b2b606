/**
 * A snapshot without the transactions of other databases of the server, which can change nothing here. A transaction
 * is known by the lock that it has on its own id. One that was prepared has no process any more, and one that has just
 * ended has no lock: those stay in, as if they were of this database.
 */
export const withoutOthers = `
create or replace function hookwright.without_others(seen pg_snapshot) returns pg_snapshot
language sql stable set search_path = pg_catalog, pg_temp as $$
  select format('%s:%s:%s', coalesce(min(own.xid), pg_snapshot_xmax(seen)), pg_snapshot_xmax(seen),
                string_agg(own.xid::text, ',' order by own.xid))::pg_snapshot
  from (
    select xid from pg_snapshot_xip(seen) as xid
    where xid::xid not in (
      select l.transactionid from pg_locks l join pg_stat_activity a using (pid) join pg_database d on d.oid = a.datid
      where l.locktype = 'transactionid' and l.mode = 'ExclusiveLock' and l.granted
        and d.datname <> current_database())) own
$$;

revoke execute on function hookwright.without_others from public;
`;
