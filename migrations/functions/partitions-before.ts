/** The names of a table's partitions whose whole day lies before the given one, oldest first. */
export const partitionsBefore = `
create or replace function hookwright.partitions_before(parent text, day date) returns setof text
language sql stable as $$
  select c.relname::text
  from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent = format('hookwright.%I', parent)::regclass
    and right(c.relname, 8) < to_char(day, 'YYYYMMDD')
  order by c.relname
$$;

revoke execute on function hookwright.partitions_before from public;
`;
