/**
 * Has changes written down for this many seconds from now. While that is extended in time, the epoch stays the same
 * and no change is missing. Changes are deleted when every reader that comes in time has seen them: when the
 * transactions that were under way kept_seconds ago have ended.
 *
 * What a clock that was ahead, or a dump of another server, has left in these tables counts for nothing.
 *
 * @returns the epoch that the changes belong to
 */
export const wantChanges = `
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
  -- After the sequence, which everybody sees at once: who begins later has looked at it.
  next_xid := pg_snapshot_xmax(pg_current_snapshot());
  update hookwright.live_feed set complete_from = next_xid where complete_from is null;
  update hookwright.live_feed
  set told_below = case when ended_below_at <= clock_timestamp() and ended_below <= next_xid then ended_below end,
      ended_below = pg_snapshot_xmin(pg_current_snapshot()), ended_below_at = clock_timestamp()
  where ended_below_at is null or ended_below > next_xid
    or ended_below_at not between clock_timestamp() - kept_seconds * interval '1 second' and clock_timestamp();
  -- Nobody sees what a transaction that has not begun writes down.
  delete from hookwright.changes
  where xid < (select f.told_below from hookwright.live_feed f) or xid >= pg_snapshot_xmax(pg_current_snapshot());
  return current_epoch;
end $$;

revoke execute on function hookwright.want_changes from public;
grant execute on function hookwright.want_changes to hookwright_api;
`;
