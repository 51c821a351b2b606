import { Migration } from '@mikro-orm/migrations';

/**
 * Two long transactions that live updates forgot. One that commits minutes after it has written its changes down: they
 * are kept until every reader that comes in time has seen them, and not until they have an age. And one that was under
 * way when the epoch began, and has written nothing: who goes on after a position that does not hold it learns so
 * (docs/decisions/0014).
 */
export class ToldByVisibility extends Migration {
  override up(): void {
    this.addSql(`
      alter table hookwright.live_feed
        -- Transactions with this id and above have written down what they changed. Null until it is known.
        add column complete_from xid8,
        -- Transactions below the first had ended long enough ago, those below the second when it was written down.
        add column told_below xid8,
        add column ended_below xid8,
        add column ended_below_at timestamptz;
      drop index hookwright.changes_age;
      alter table hookwright.changes drop column at;

      create or replace function hookwright.want_changes(wanted_seconds integer, kept_seconds integer) returns uuid
      language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
      declare
        current_epoch uuid;
      begin
        insert into hookwright.live_feed as f (epoch, wanted_until)
        values (gen_random_uuid(), clock_timestamp() + wanted_seconds * interval '1 second')
        on conflict (only_row) do update
          set epoch = case when f.wanted_until > clock_timestamp() then f.epoch else excluded.epoch end,
              complete_from = case when f.wanted_until > clock_timestamp() then f.complete_from end,
              wanted_until = greatest(f.wanted_until, excluded.wanted_until)
        returning f.epoch into current_epoch;
        perform setval('hookwright.changes_wanted_until',
          (select ceil(extract(epoch from f.wanted_until))::bigint from hookwright.live_feed f));
        -- After the sequence, which everybody sees at once: who begins later has looked at it.
        update hookwright.live_feed set complete_from = pg_snapshot_xmax(pg_current_snapshot())
        where complete_from is null;
        update hookwright.live_feed
        set told_below = ended_below, ended_below = pg_snapshot_xmin(pg_current_snapshot()),
            ended_below_at = clock_timestamp()
        where ended_below_at is null or ended_below_at < clock_timestamp() - kept_seconds * interval '1 second';
        delete from hookwright.changes where xid < (select f.told_below from hookwright.live_feed f);
        return current_epoch;
      end $$;

      drop function hookwright.read_changes(pg_snapshot, bigint[], integer);
      -- What tenants changed that the snapshot 'since' does not hold, with the snapshot that holds it: one row for each
      -- change, or one without a change. None at all while changes are not written down.
      create function hookwright.read_changes(since pg_snapshot, tenant_ids bigint[], rows_max integer)
      returns table (epoch uuid, complete_from xid8, snapshot text, read_at_ms double precision, tenant_id bigint,
                     kind text, ids bigint[], webhook_ids bigint[])
      language sql stable security definer set search_path = pg_catalog, hookwright, pg_temp as $$
        select f.epoch, f.complete_from, pg_current_snapshot()::text,
               extract(epoch from clock_timestamp())::float8 * 1000, c.tenant_id, c.kind, c.ids, c.webhook_ids
        from hookwright.live_feed f
        left join lateral (
          select c.tenant_id, c.kind, c.ids, c.webhook_ids from hookwright.changes c
          where (c.xid >= pg_snapshot_xmax(since) or c.xid = any(array(select pg_snapshot_xip(since))))
            and c.tenant_id = any(tenant_ids)
          order by c.xid
          limit rows_max) c on true
        where f.wanted_until > clock_timestamp()
      $$;
      revoke execute on function hookwright.read_changes(pg_snapshot, bigint[], integer) from public;
      grant execute on function hookwright.read_changes(pg_snapshot, bigint[], integer) to hookwright_api;
    `);
  }
}
