/**
 * Makes the partition of one table ("events", "deliveries", "attempts") for one UTC day.
 *
 * It attaches a finished table, because that takes a weaker lock than `create table … partition of`: emits and
 * deliveries go on meanwhile. `like` leaves the statistics targets out, so they are copied, and what identifies a row
 * where it is replicated (docs/decisions/0034).
 *
 * @returns false when the partition exists already
 */
export const makePartition = `
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

revoke execute on function hookwright.make_partition from public;
`;
