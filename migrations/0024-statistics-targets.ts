import { Migration } from '@mikro-orm/migrations';

/**
 * What no query asks by is not analyzed: the texts of bodies, headers and answers were sampled and sorted again with every
 * tenth that a day's partition grew, which was nearly half of what that costs.
 */
export class StatisticsTargets extends Migration {
  override up(): void {
    this.addSql(`
      -- As in 0002, and the partition has the statistics targets of its table, which LIKE leaves out.
      create or replace function hookwright.make_partition(parent text, day date) returns boolean
      language plpgsql as $$
      declare
        part text := format('%s_%s', parent, to_char(day, 'YYYYMMDD'));
        low bigint := hookwright.id_at(day::timestamp at time zone 'UTC');
        high bigint := hookwright.id_at((day + 1)::timestamp at time zone 'UTC');
        targets text;
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
        execute format('alter table hookwright.%I attach partition hookwright.%I for values from (%s) to (%s)',
                       parent, part, low, high);
        return true;
      end $$;

      -- Of the table and of the partitions that it has.
      alter table hookwright.events alter body set statistics 0;

      -- Attempts are found by delivery and number alone, whatever a statistic would say.
      do $$
      begin
        execute (
          select 'alter table hookwright.attempts '
            || string_agg(format('alter %I set statistics %s', attname,
                                 case when attname in ('delivery_id', 'number') then 10 else 0 end), ', ')
          from pg_attribute
          where attrelid = 'hookwright.attempts'::regclass and attnum > 0 and not attisdropped);
      end $$;
    `);
  }
}
