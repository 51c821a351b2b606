import { Migration } from '@mikro-orm/migrations';

/**
 * Event types can be registered and changed, and every schema that one ever had is kept. The API may write them, in a
 * transaction of the installation itself (`app.tenant` = 0): a tenant's transaction changes nothing here.
 */
export class EventTypeVersions extends Migration {
  override up(): void {
    this.addSql(`
      alter table hookwright.event_types
        add column version integer not null default 1,
        add column sample_payload text;                   -- JSON; null: none was found
      update hookwright.event_types set sample_payload = sample from (values
        ('booking.created', '{"booking_code":"text","local_number":"text","brand":"text"}'),
        ('booking.canceled', '{"booking_code":"text","canceled_at":"text"}'),
        ('voucher.emitted', '{"booking_code":"text","voucher_number":"text"}'),
        ('coupon.applied', '{"code":"text","discount_type":"text"}'),
        ('webhook.test', '{"message":"text"}')) as samples(type, sample)
      where name = type;

      create table hookwright.event_type_versions (
        event_type text not null references hookwright.event_types,
        version integer not null,
        schema text not null,
        created_at timestamptz not null default now(),
        primary key (event_type, version)
      );
      insert into hookwright.event_type_versions (event_type, version, schema, created_at)
      select name, version, schema, created_at from hookwright.event_types;

      -- By triggers, so that no writer can change a schema and leave no version behind.
      create function hookwright.count_event_type_version() returns trigger
      language plpgsql as $$
      begin
        new.version := case when tg_op = 'INSERT' then 1
                            else old.version + (new.schema <> old.schema)::integer end;
        return new;
      end $$;
      create function hookwright.keep_event_type_version() returns trigger
      language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
      begin
        insert into hookwright.event_type_versions (event_type, version, schema)
        values (new.name, new.version, new.schema) on conflict do nothing;
        return null;
      end $$;
      create trigger count_version before insert or update on hookwright.event_types
        for each row execute function hookwright.count_event_type_version();
      create trigger keep_version after insert or update on hookwright.event_types
        for each row execute function hookwright.keep_event_type_version();
      revoke execute on function hookwright.count_event_type_version(), hookwright.keep_event_type_version() from public;

      alter table hookwright.event_types enable row level security;
      create policy everybody_reads on hookwright.event_types for select to hookwright_api using (true);
      create policy installation_adds on hookwright.event_types for insert to hookwright_api
        with check (hookwright.current_tenant() = 0);
      create policy installation_changes on hookwright.event_types for update to hookwright_api
        using (hookwright.current_tenant() = 0);
      grant insert (name, description, schema, text_fields, sample_payload),
            update (description, schema, text_fields, sample_payload, deprecated_at)
        on hookwright.event_types to hookwright_api;
      grant select on hookwright.event_type_versions to hookwright_api;

      -- Event types have names, not numbers.
      alter table hookwright.audit_log alter column target_id type text using target_id::text;
    `);
  }
}
