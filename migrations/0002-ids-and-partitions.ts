import { Migration } from '@mikro-orm/migrations';

/**
 * Time-ordered ids and the daily partitions that they make possible.
 *
 * An id is the milliseconds since 2025-01-01 shifted left by 12, plus the low 12 bits of a sequence:
 * 53 bits, so a safe JavaScript integer until 2094. `clock_timestamp()` and not `now()`: `now()` stands
 * still inside a transaction, and the 4,097th id of that transaction would repeat the first.
 */
export class IdsAndPartitions extends Migration {
  override up(): void {
    this.addSql(`
      -- No cache: a session that held numbers back would meet, modulo 4096, the fresh ones of another.
      create sequence hookwright.id_sequence as bigint cache 1;

      create function hookwright.id_at(moment timestamptz) returns bigint
      language sql immutable parallel safe
      return (floor(extract(epoch from moment) * 1000)::bigint - 1735689600000) << 12;

      -- Separate from next_id, so that a test can set the clock back.
      create function hookwright.id_clock() returns timestamptz
      language sql volatile
      return clock_timestamp();

      create function hookwright.next_id() returns bigint
      language sql volatile
      return hookwright.id_at(hookwright.id_clock()) | (nextval('hookwright.id_sequence') & 4095);

      create function hookwright.id_day(id bigint) returns date
      language sql immutable parallel safe
      return (to_timestamp(((id >> 12) + 1735689600000) / 1000.0) at time zone 'UTC')::date;

      -- Makes the partition of one table for one UTC day, if it is not there. Attaching takes a weaker lock
      -- than CREATE TABLE … PARTITION OF, so emits and deliveries go on meanwhile.
      create function hookwright.make_partition(parent text, day date) returns boolean
      language plpgsql as $$
      declare
        part text := format('%s_%s', parent, to_char(day, 'YYYYMMDD'));
        low bigint := hookwright.id_at(day::timestamp at time zone 'UTC');
        high bigint := hookwright.id_at((day + 1)::timestamp at time zone 'UTC');
      begin
        if to_regclass(format('hookwright.%I', part)) is not null then
          return false;
        end if;
        execute format('create table hookwright.%I (like hookwright.%I including all)', part, parent);
        execute format('alter table hookwright.%I attach partition hookwright.%I for values from (%s) to (%s)',
                       parent, part, low, high);
        return true;
      end $$;

      -- Yesterday too: a clock set back over midnight must find its partition.
      create function hookwright.make_partitions(days_ahead integer) returns integer
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

      -- The names of a table's partitions whose whole day lies before the given one, oldest first.
      create function hookwright.partitions_before(parent text, day date) returns setof text
      language sql stable as $$
        select c.relname::text
        from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = format('hookwright.%I', parent)::regclass
          and right(c.relname, 8) < to_char(day, 'YYYYMMDD')
        order by c.relname
      $$;

      select hookwright.make_partitions(14);
    `);
  }
}
