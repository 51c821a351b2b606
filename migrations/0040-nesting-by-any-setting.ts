import { Migration } from '@mikro-orm/migrations';

/** As in 0019, also for a session in which a backslash in a plain literal escapes what follows it. */
export class NestingByAnySetting extends Migration {
  override up(): void {
    this.addSql(String.raw`
      create or replace function hookwright.is_nested_deeper(body text, levels integer) returns boolean
      language plpgsql immutable as $$
      declare
        brackets text;
      begin
        if length(body) - length(translate(body, '[{', '')) <= levels then
          return false;
        end if;
        brackets := regexp_replace(regexp_replace(body, E'"([^"\\\\]|\\\\.)*"', '', 'g'), '[^][{}]+', '', 'g');
        return coalesce((
          select max(depth) > levels from (
            select sum(case when bracket in ('[', '{') then 1 else -1 end) over (order by place) as depth
            from string_to_table(brackets, null) with ordinality as each(bracket, place)) nested), false);
      end $$;
    `);
  }
}
