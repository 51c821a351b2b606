/**
 * A JSON text without the escapes that JSON does not need. Slashes and characters beyond ASCII are signed and sent as
 * they are (docs/interface.md, "Deliveries"), and PHP and Python escape them by default.
 *
 * In JSON no control character stands unescaped, so three of them are free here: chr(1) for an escaped backslash,
 * chr(2) for a backslash that stays, and chr(3) for those of a pair of surrogates while halves without another are
 * marked, which unistr would refuse. (A regular expression with lookaround would take quadratic time.)
 */
export const unescapedBody = String.raw`
create or replace function hookwright.unescaped_body(body text) returns text
language plpgsql immutable parallel safe as $$
declare
  rest text := replace(replace(body, E'\\\\', chr(1)), E'\\/', '/');
  needed text;
begin
  if strpos(rest, E'\\u') > 0 then
    foreach needed in array string_to_array('" b f n r t u000 u001 u0022 u005c u005C', ' ') loop
      rest := replace(rest, chr(92) || needed, chr(2) || needed);
    end loop;
    if rest ~ E'\\\\u[dD][89a-fA-F]' then
      rest := regexp_replace(
        rest, E'\\\\(u[dD][89abAB]..)\\\\(u[dD][c-fC-F]..)', chr(3) || E'\\1' || chr(3) || E'\\2', 'g');
      rest := regexp_replace(rest, E'\\\\(u[dD][89a-fA-F])', chr(2) || E'\\1', 'g');
      rest := replace(rest, chr(3), chr(92));
    end if;
    rest := replace(unistr(rest), chr(2), chr(92));
  end if;
  return replace(rest, chr(1), E'\\\\');
end $$;

revoke execute on function hookwright.unescaped_body from public;
`;
