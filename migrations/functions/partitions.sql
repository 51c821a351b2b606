-- The daily partitions of events, deliveries and attempts.

-- Makes the partition of one table for one UTC day; returns false when it exists already. To attach a finished table
-- takes a weaker lock than "create table … partition of". "like" leaves out the statistics targets and the replica
-- identity (docs/decisions/0034), so both are copied.
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

-- Makes the missing partitions from yesterday to this many days ahead, and returns their number. Yesterday's is needed
-- after the clock was set back over midnight.
create or replace function hookwright.make_partitions(days_ahead integer) returns integer
language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
declare
  made integer := 0;
  today date := (clock_timestamp() at time zone 'UTC')::date;
  parent text;
begin
  perform pg_advisory_xact_lock(hashtextextended('hookwright.partitions', 0));
  foreach parent in array array['events', 'deliveries', 'attempts'] loop
    for offset_days in -1..days_ahead loop
      made := made + hookwright.make_partition(parent, today + offset_days)::integer;
    end loop;
  end loop;
  return made;
end $$;

-- The names of a table's partitions whose whole day lies before the given one, oldest first.
create or replace function hookwright.partitions_before(parent text, day date) returns setof text
language sql stable as $$
  select c.relname::text
  from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent = format('hookwright.%I', parent)::regclass
    and right(c.relname, 8) < to_char(day, 'YYYYMMDD')
  order by c.relname
$$;
