/**
 * What these tenants changed that the snapshot "since" does not hold, with the snapshot that holds it: a row for each
 * change, or one row without a change. No row at all while changes are not written down.
 */
export const readChanges = `
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

revoke execute on function hookwright.read_changes from public;
grant execute on function hookwright.read_changes to hookwright_api;
`;
