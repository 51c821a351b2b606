-- Triggers that number and keep the versions of an event type, so that no writer can forget it.

create or replace function hookwright.count_event_type_version() returns trigger
language plpgsql as $$
begin
  new.version := case when tg_op = 'INSERT' then 1
                      else old.version + (new.schema <> old.schema)::integer end;
  return new;
end $$;

create or replace function hookwright.keep_event_type_version() returns trigger
language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
begin
  insert into hookwright.event_type_versions (event_type, version, schema)
  values (new.name, new.version, new.schema) on conflict do nothing;
  return null;
end $$;
