-- The functions that migrations call before all functions are installed (docs/decisions/0071), as in 0.1.0.

create or replace function hookwright.id_at(moment timestamptz) returns bigint
language sql immutable parallel safe
-- Whole microseconds first: a double that is a trifle too small would otherwise be the millisecond before.
return floor(round(date_part('epoch', moment - timestamptz '2025-01-01 00:00:00+00') * 1e6) / 1e3)::bigint << 12;

create or replace function hookwright.current_tenant() returns bigint
language sql stable parallel safe
return nullif(current_setting('app.tenant', true), '')::bigint;

create or replace function hookwright.make_partition(parent text, day date) returns boolean
language plpgsql as $$
declare
  part text := format('%s_%s', parent, to_char(day, 'YYYYMMDD'));
  low bigint := hookwright.id_at(day::timestamp at time zone 'UTC');
  high bigint := hookwright.id_at((day + 1)::timestamp at time zone 'UTC');
  targets text;
  tenant_key text;
begin
  if to_regclass(format('hookwright.%I', part)) is not null then
    return false;
  end if;
  execute format('create table hookwright.%I (like hookwright.%I including all)', part, parent);
  select string_agg(format('alter %I set statistics %s', attname, attstattarget), ', ') into targets
  from pg_attribute
  where attrelid = format('hookwright.%I', parent)::regclass and attnum > 0 and attstattarget >= 0;
  if targets is not null then
    execute format('alter table hookwright.%I %s', part, targets);
  end if;
  -- A publication of one tenant's rows takes updates only where the tenant is in what identifies a row. The index has
  -- another name after the database was restored from a dump.
  select c.relname into tenant_key
  from pg_index i join pg_class c on c.oid = i.indexrelid
  where i.indrelid = format('hookwright.%I', part)::regclass and i.indisunique and not i.indisprimary;
  if tenant_key is not null then
    execute format('alter table hookwright.%I replica identity using index %I', part, tenant_key);
  end if;
  execute format('alter table hookwright.%I attach partition hookwright.%I for values from (%s) to (%s)',
                 parent, part, low, high);
  return true;
end $$;

create or replace function hookwright.make_partitions(days_ahead integer) returns integer
language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
declare
  made integer := 0;
  today date := (clock_timestamp() at time zone 'UTC')::date;
  parent text;
  offset_days integer;
begin
  perform pg_advisory_xact_lock(hashtextextended('hookwright.partitions', 0));
  foreach parent in array array['events', 'deliveries', 'attempts'] loop
    for offset_days in -1..days_ahead loop
      made := made + hookwright.make_partition(parent, today + offset_days)::integer;
    end loop;
  end loop;
  return made;
end $$;

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
