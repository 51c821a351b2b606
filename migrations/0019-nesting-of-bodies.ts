import { Migration } from '@mikro-orm/migrations';

/** The most that PAYLOAD_DEPTH_MAX may be set to. */
const LEVELS_MAX = 500;

/** The outbox door takes no body that is nested so deep that reading it as JSON, here or there, comes to its limits. */
export class NestingOfBodies extends Migration {
  override up(): void {
    this.addSql(String.raw`
      create function hookwright.is_nested_deeper(body text, levels integer) returns boolean
      language plpgsql immutable as $$
      declare
        brackets text;
      begin
        if length(body) - length(translate(body, '[{', '')) <= levels then
          return false;
        end if;
        brackets := regexp_replace(regexp_replace(body, '"([^"\\]|\\.)*"', '', 'g'), '[^][{}]+', '', 'g');
        return coalesce((
          select max(depth) > levels from (
            select sum(case when bracket in ('[', '{') then 1 else -1 end) over (order by place) as depth
            from string_to_table(brackets, null) with ordinality as each(bracket, place)) nested), false);
      end $$;

      alter function hookwright.judge_body(text, text[]) rename to judge_flat_body;

      create function hookwright.judge_body(body text, fields text[], out code text, out detail text)
      language plpgsql immutable as $$
      begin
        if hookwright.is_nested_deeper(body, ${LEVELS_MAX}) then
          code := 'PAYLOAD_TOO_LARGE';
          detail := 'The body is nested deeper than ${LEVELS_MAX} levels.';
        else
          select j.code, j.detail into code, detail from hookwright.judge_flat_body(body, fields) j;
        end if;
      end $$;

      revoke execute on function hookwright.is_nested_deeper(text, integer), hookwright.judge_body(text, text[]) from public;
    `);
  }
}
