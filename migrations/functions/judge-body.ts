/**
 * Checks a body (`judge_flat_body`), unless it has more than 500 levels: reading such a text as JSON, in this or in
 * another database, comes near their limits. 500 is the most that PAYLOAD_DEPTH_MAX may be set to.
 */
export const judgeBody = `
create or replace function hookwright.judge_body(body text, fields text[], out code text, out detail text)
language plpgsql immutable as $$
begin
  if hookwright.is_nested_deeper(body, 500) then
    code := 'PAYLOAD_TOO_LARGE';
    detail := 'The body is nested deeper than 500 levels.';
  else
    select j.code, j.detail into code, detail from hookwright.judge_flat_body(body, fields) j;
  end if;
end $$;

revoke execute on function hookwright.judge_body from public;
`;
