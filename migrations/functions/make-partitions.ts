/**
 * Makes the partitions that are missing, from yesterday to this many days ahead. Yesterday too: after the clock was
 * set back over midnight, rows need its partition. One transaction at a time does it; others wait for that one.
 *
 * @returns how many partitions it made
 */
export const makePartitions = `
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

revoke execute on function hookwright.make_partitions from public;
`;
