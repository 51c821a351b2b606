import { Migration } from '@mikro-orm/migrations';

/**
 * What live updates are fed with: which deliveries and webhooks a transaction changed, written by that transaction, and
 * only while somebody wants to know (docs/decisions/0014). Triggers, and not the statements that change the rows: a
 * change that somebody forgot to announce would be seen by nobody, in production as in tests.
 */
export class LiveUpdates extends Migration {
  override up(): void {
    this.addSql(`
      -- One row, or none: until when changes are written down. While it is extended in time, the epoch stays and no
      -- change is missing. Unlogged, so a crash of the server empties it: the next epoch is another one, and whoever
      -- asks for changes since before learns that there may be more.
      create unlogged table hookwright.live_feed (
        only_row boolean primary key default true check (only_row),
        epoch uuid not null,
        wanted_until timestamptz not null
      ) with (fillfactor = 50);

      -- The same, in seconds since 1970, for the triggers: they cannot run a query before they are called, and to call
      -- them costs as much as a small statement. A sequence is seen by everybody at once, whatever their snapshot.
      create sequence hookwright.changes_wanted_until;

      -- A row for each statement and tenant, with the ids of what it changed. The transaction's id tells which changes a
      -- snapshot does not hold yet: the order of a sequence is not the order of commits.
      create unlogged table hookwright.changes (
        xid xid8 not null default pg_current_xact_id(),
        tenant_id bigint not null,
        kind text not null,
        ids bigint[] not null,
        webhook_ids bigint[] not null,
        at timestamptz not null default clock_timestamp()
      );
      create index changes_xid on hookwright.changes (xid);
      create index changes_age on hookwright.changes (at);

      create function hookwright.note_changed_deliveries() returns trigger
      language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
      begin
        insert into hookwright.changes (tenant_id, kind, ids, webhook_ids)
        select tenant_id, 'DELIVERY', array_agg(id), array_agg(webhook_id) from changed group by tenant_id;
        if found then
          perform pg_notify('hookwright_changes', '');
        end if;
        return null;
      end $$;

      create function hookwright.note_changed_webhooks() returns trigger
      language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
      begin
        insert into hookwright.changes (tenant_id, kind, ids, webhook_ids)
        select tenant_id, 'WEBHOOK', array_agg(id), array_agg(id) from changed group by tenant_id;
        if found then
          perform pg_notify('hookwright_changes', '');
        end if;
        return null;
      end $$;

      create trigger note_new after insert on hookwright.deliveries referencing new table as changed for each statement
        when (pg_sequence_last_value('hookwright.changes_wanted_until') > extract(epoch from clock_timestamp()))
        execute function hookwright.note_changed_deliveries();
      create trigger note_changed after update on hookwright.deliveries referencing new table as changed for each statement
        when (pg_sequence_last_value('hookwright.changes_wanted_until') > extract(epoch from clock_timestamp()))
        execute function hookwright.note_changed_deliveries();
      create trigger note_new after insert on hookwright.webhooks referencing new table as changed for each statement
        when (pg_sequence_last_value('hookwright.changes_wanted_until') > extract(epoch from clock_timestamp()))
        execute function hookwright.note_changed_webhooks();
      create trigger note_changed after update on hookwright.webhooks referencing new table as changed for each statement
        when (pg_sequence_last_value('hookwright.changes_wanted_until') > extract(epoch from clock_timestamp()))
        execute function hookwright.note_changed_webhooks();

      -- Has changes written down for so long; the answer is the epoch that they belong to. Changes that nobody can ask
      -- for any more are deleted by the way.
      create function hookwright.want_changes(wanted_seconds integer, kept_seconds integer) returns uuid
      language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
      declare
        current_epoch uuid;
      begin
        insert into hookwright.live_feed as f (epoch, wanted_until)
        values (gen_random_uuid(), clock_timestamp() + wanted_seconds * interval '1 second')
        on conflict (only_row) do update
          set epoch = case when f.wanted_until > clock_timestamp() then f.epoch else excluded.epoch end,
              wanted_until = greatest(f.wanted_until, excluded.wanted_until)
        returning f.epoch into current_epoch;
        perform setval('hookwright.changes_wanted_until',
          (select ceil(extract(epoch from f.wanted_until))::bigint from hookwright.live_feed f));
        delete from hookwright.changes where at < clock_timestamp() - kept_seconds * interval '1 second';
        return current_epoch;
      end $$;

      -- What tenants changed that the snapshot 'since' does not hold, with the snapshot that holds it: one row for each
      -- change, or one without a change. None at all while changes are not written down.
      create function hookwright.read_changes(since pg_snapshot, tenant_ids bigint[], rows_max integer)
      returns table (epoch uuid, snapshot text, read_at_ms double precision, tenant_id bigint, kind text,
                     ids bigint[], webhook_ids bigint[])
      language sql stable security definer set search_path = pg_catalog, hookwright, pg_temp as $$
        select f.epoch, pg_current_snapshot()::text, extract(epoch from clock_timestamp())::float8 * 1000,
               c.tenant_id, c.kind, c.ids, c.webhook_ids
        from hookwright.live_feed f
        left join lateral (
          select c.tenant_id, c.kind, c.ids, c.webhook_ids from hookwright.changes c
          where (c.xid >= pg_snapshot_xmax(since) or c.xid = any(array(select pg_snapshot_xip(since))))
            and c.tenant_id = any(tenant_ids)
          order by c.xid
          limit rows_max) c on true
        where f.wanted_until > clock_timestamp()
      $$;

      do $$
      declare
        owner_name text := current_user;
      begin
        alter table hookwright.changes enable row level security;
        alter table hookwright.changes force row level security;
        create policy one_tenant on hookwright.changes to hookwright_api
          using (tenant_id = hookwright.current_tenant());
        execute format('create policy all_tenants on hookwright.changes to %I using (true)', owner_name);
      end $$;

      revoke execute on function
        hookwright.note_changed_deliveries(), hookwright.note_changed_webhooks(),
        hookwright.want_changes(integer, integer), hookwright.read_changes(pg_snapshot, bigint[], integer)
        from public;
      grant select on sequence hookwright.changes_wanted_until to hookwright_api;
      grant execute on function
        hookwright.want_changes(integer, integer), hookwright.read_changes(pg_snapshot, bigint[], integer)
        to hookwright_api;
    `);
  }
}
