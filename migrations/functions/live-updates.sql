-- The log of changes for live updates (docs/decisions/0014).

-- Trigger: notes which deliveries or webhooks a statement has changed.
create or replace function hookwright.note_changes() returns trigger
language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
begin
  if tg_table_name = 'webhooks' then
    insert into hookwright.changes (tenant_id, kind, ids, webhook_ids)
    select tenant_id, 'WEBHOOK', array_agg(id), array_agg(id) from changed group by tenant_id;
  else
    insert into hookwright.changes (tenant_id, kind, ids, webhook_ids)
    select tenant_id, 'DELIVERY', array_agg(id), array_agg(webhook_id) from changed group by tenant_id;
  end if;
  if found then
    perform pg_notify('hookwright_changes', '');
  end if;
  return null;
end $$;

-- Has changes noted for this many seconds from now, and returns their epoch, which stays the same while that is
-- extended in time. Changes are deleted when the transactions that were under way kept_seconds ago have ended. It
-- ignores what a clock that was ahead, or a dump of another server, has left in these tables.
create or replace function hookwright.want_changes(wanted_seconds integer, kept_seconds integer) returns uuid
language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
declare
  current_epoch uuid;
  next_xid xid8;
begin
  insert into hookwright.live_feed as f (epoch, wanted_until)
  values (gen_random_uuid(), clock_timestamp() + wanted_seconds * interval '1 second')
  on conflict (only_row) do update
    set epoch = case when f.wanted_until > clock_timestamp() then f.epoch else excluded.epoch end,
        complete_from = case when f.wanted_until > clock_timestamp() then f.complete_from end,
        wanted_until = case when f.wanted_until < clock_timestamp() + 2 * wanted_seconds * interval '1 second'
                            then greatest(f.wanted_until, excluded.wanted_until)
                            else excluded.wanted_until end
  returning f.epoch into current_epoch;
  perform setval('hookwright.changes_wanted_until',
    (select ceil(extract(epoch from f.wanted_until))::bigint from hookwright.live_feed f));
  -- After setval, which every session sees at once: transactions that begin later note their changes.
  next_xid := pg_snapshot_xmax(pg_current_snapshot());
  update hookwright.live_feed set complete_from = next_xid where complete_from is null;
  update hookwright.live_feed
  set seen_below = case when ended_below_at <= clock_timestamp() and ended_below <= next_xid then ended_below end,
      ended_below = pg_snapshot_xmin(pg_current_snapshot()), ended_below_at = clock_timestamp()
  where ended_below_at is null or ended_below > next_xid
    or ended_below_at not between clock_timestamp() - kept_seconds * interval '1 second' and clock_timestamp();
  -- No reader waits for changes of transactions that have not begun.
  delete from hookwright.changes
  where xid < (select f.seen_below from hookwright.live_feed f) or xid >= pg_snapshot_xmax(pg_current_snapshot());
  return current_epoch;
end $$;

-- A snapshot without the transactions of other databases of the server, which can change nothing here. A prepared one
-- has no process, and one that has just ended has no lock on its own id: both stay in.
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

-- The changes of these tenants after the snapshot "since", with the snapshot that includes them: a row for
-- each change, or one row without a change. No row while changes are not noted.
create or replace function hookwright.read_changes(since pg_snapshot, tenant_ids bigint[], rows_max integer)
returns table (epoch uuid, complete_from xid8, snapshot text, read_at_ms double precision, tenant_id bigint,
               kind text, ids bigint[], webhook_ids bigint[])
language sql stable security definer set search_path = pg_catalog, hookwright, pg_temp as $$
  select f.epoch, f.complete_from,
         -- Other databases' transactions matter only while the feed is younger than a transaction under way.
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

grant execute on function hookwright.want_changes, hookwright.read_changes to hookwright_api;
