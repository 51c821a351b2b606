import { Migration } from '@mikro-orm/migrations';

/**
 * A snapshot holds what is under way in all databases of the server, and live updates waited for what can change nothing
 * here. Positions leave it out: a transaction of another database is over, as far as this one can tell
 * (docs/decisions/0014).
 */
export class TransactionsElsewhere extends Migration {
  override up(): void {
    this.addSql(`
      -- A transaction is known by the lock that it has on its own id. One that was prepared has no process any more, and
      -- one that has just ended no lock: those stay, as if they were of this database.
      create function hookwright.without_others(seen pg_snapshot) returns pg_snapshot
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

      create or replace function hookwright.read_changes(since pg_snapshot, tenant_ids bigint[], rows_max integer)
      returns table (epoch uuid, complete_from xid8, snapshot text, read_at_ms double precision, tenant_id bigint,
                     kind text, ids bigint[], webhook_ids bigint[])
      language sql stable security definer set search_path = pg_catalog, hookwright, pg_temp as $$
        select f.epoch, f.complete_from,
               -- The others matter only to those who wait for what is older than the feed.
               (case when pg_snapshot_xmin(seen) < f.complete_from then hookwright.without_others(seen) else seen end)::text,
               extract(epoch from clock_timestamp())::float8 * 1000, c.tenant_id, c.kind, c.ids, c.webhook_ids
        from hookwright.live_feed f
        cross join (select pg_current_snapshot() as seen) now
        left join lateral (
          select c.tenant_id, c.kind, c.ids, c.webhook_ids from hookwright.changes c
          where (c.xid >= pg_snapshot_xmax(since) or c.xid = any(array(select pg_snapshot_xip(since))))
            and c.tenant_id = any(tenant_ids)
          order by c.xid
          limit rows_max) c on true
        where f.wanted_until > clock_timestamp()
      $$;
      revoke execute on function hookwright.without_others(pg_snapshot) from public;
    `);
  }
}
