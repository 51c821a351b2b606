/**
 * What is wrong with a body that is not nested deeply, and where. `fields` are those of its event type
 * (`event_types.text_fields`): all of them must be there, as strings, and nothing else; null: no schema is checked.
 *
 * The text itself is stored, so the checks must not change it. And what JSON allows must pass: jsonb and
 * json_each_text would refuse an escaped NUL and half of a surrogate pair.
 *
 * @returns PAYLOAD_NO_JSON_OBJECT or PAYLOAD_BREAKS_SCHEMA with a sentence; nulls when the body is valid
 */
export const judgeFlatBody = String.raw`
create or replace function hookwright.judge_flat_body(body text, fields text[], out code text, out detail text)
language plpgsql immutable as $$
declare
  names text[];
  fault text;
  readable text := body;
begin
  begin
    if json_typeof(body::json) <> 'object' then
      code := 'PAYLOAD_NO_JSON_OBJECT';
      detail := format('The body is JSON, but its outermost value is of type %s, not an object.',
                       json_typeof(body::json));
    end if;
  exception when data_exception or program_limit_exceeded then
    code := 'PAYLOAD_NO_JSON_OBJECT';
    detail := 'The body is not JSON.';
  end;
  if code is not null or fields is null then
    return;
  end if;
  -- No name of a field has anything that is escaped like this, so what stands in its place does not matter.
  if strpos(body, chr(92)) > 0 then
    readable := regexp_replace(body, E'\\\\([^u]|u(0000|[dD][89a-fA-F][0-9a-fA-F]{2}))', '?', 'g');
  end if;
  select coalesce(array_agg(key), '{}'), min(format('"%s" must be a string', key)) filter (
    where key = any(fields) and json_typeof(value) <> 'string')
  into names, fault from json_each(readable::json);
  detail := coalesce(
    (select format('"%s" is required', f) from unnest(fields) f where f <> all(names) limit 1),
    (select format('"%s" is not a field of this event type', left(n, 100))
     from unnest(names) n where n <> all(fields) limit 1),
    fault,
    case when cardinality(names) > cardinality(fields) then 'a field stands there twice' end);
  if detail is not null then
    code := 'PAYLOAD_BREAKS_SCHEMA';
    detail := 'The body breaks the schema of the event type: ' || detail || '.';
  end if;
end $$;

revoke execute on function hookwright.judge_flat_body from public;
`;
