/**
 * Whether a text, if it is JSON, has more than this many levels of arrays and objects.
 *
 * The literal begins with E, because in a session with standard_conforming_strings off a backslash in a plain literal
 * would escape what follows it.
 */
export const isNestedDeeper = String.raw`
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

revoke execute on function hookwright.is_nested_deeper from public;
`;
