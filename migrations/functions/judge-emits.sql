-- Checks of the events that an application emits.

-- Checks what the API has checked before it calls emit_events_once: arguments, grants of the role that logged in,
-- idempotency keys and bodies. Bodies are stored, signed and sent without the escapes that JSON does not need
-- (docs/interface.md, "Deliveries"), and their length is measured without them.
--
-- Returns per item the error's code and sentence, null where there is none; the bodies to store, null when they are
-- unchanged; and the versions that they were checked by, null when none has a version before it.
create or replace function hookwright.judge_emits(
  tenant_ids bigint[], event_types text[], bodies text[], idempotency_keys text[], restricted boolean,
  schema_checked boolean, type_versions integer[], out refusals text[], out details text[], out unescaped text[],
  out versions integer[])
language plpgsql as $$
declare
  item record;
  kind record;
  bytes_max integer := (select payload_bytes_max from hookwright.outbox_limits);
  code text;
  detail text;
  escaped boolean;
  longest integer;
  body text;
  version integer;
begin
  for item in
    select * from unnest(tenant_ids, event_types, bodies, idempotency_keys)
      with ordinality as i(tenant_id, event_type, body, key, ord)
  loop
    code := null;
    detail := null;
    body := item.body;
    escaped := strpos(body, chr(92)) > 0;
    -- An escape is at most six times as long as the character.
    longest := case when escaped then 6 else 1 end * bytes_max;
    select t.reserved or t.deprecated_at is not null as unusable, t.text_fields, t.version into kind
    from hookwright.event_types t where t.name = item.event_type;
    if item.tenant_id is null or item.event_type is null or item.body is null then
      code := 'ARGUMENT_MISSING';
    elsif restricted and not exists (
      select from hookwright.outbox_grants g where g.role_name = session_user and g.tenant_id = item.tenant_id
    ) then
      code := 'TENANT_NOT_GRANTED';
      detail := format('The role %I may not emit for tenant %s.', session_user, item.tenant_id);
    elsif item.key is not null and item.key !~ '^[ -~]{1,255}$' collate "C" then
      code := 'IDEMPOTENCY_KEY_INVALID';
    elsif kind.unusable is distinct from false then
      null;  -- emit_events_once says what is wrong with the type
    elsif octet_length(body) > longest then
      code := 'PAYLOAD_TOO_LARGE';
    else
      version := coalesce(case when schema_checked then type_versions[item.ord] end, kind.version);
      -- SQL knows the fields of the newest version alone.
      select j.code, j.detail into code, detail
      from hookwright.judge_body(body, case when version = kind.version then kind.text_fields end) j;
      if code is null and kind.text_fields is null and not schema_checked then
        code := 'SCHEMA_NOT_CHECKED';
      elsif code is null and version not between 1 and kind.version then
        code := 'SCHEMA_VERSION_UNKNOWN';
      end if;
      if version > 1 then
        versions[item.ord] := version;
      end if;
      if code is null and escaped then
        body := hookwright.unescaped_body(body);
        if octet_length(body) > bytes_max then
          code := 'PAYLOAD_TOO_LARGE';
        elsif body <> item.body then
          unescaped[item.ord] := body;
        end if;
      end if;
    end if;
    if code = 'PAYLOAD_TOO_LARGE' and detail is null then
      detail := format('The body has %s bytes; at most %s are allowed.', octet_length(body), bytes_max);
    end if;
    refusals[item.ord] := code;
    details[item.ord] := detail;
  end loop;
  if unescaped is not null then
    unescaped := array(select coalesce(unescaped[i.ord], i.body)
                       from unnest(bodies) with ordinality as i(body, ord) order by i.ord);
  end if;
end $$;

-- Checks a body. fields are those of its event type (event_types.text_fields): all must be there, as strings, and no
-- others; null: no schema is checked. jsonb and json_each_text would refuse an escaped NUL and half of a surrogate
-- pair, which JSON allows.
--
-- Returns the error's code and sentence; nulls when the body is valid.
create or replace function hookwright.judge_body(body text, fields text[], out code text, out detail text)
language plpgsql immutable as $$
declare
  names text[];
  fault text;
  readable text := body;
begin
  -- The most that PAYLOAD_DEPTH_MAX may be set to: reading deeper JSON comes near the limits of Postgres.
  if hookwright.is_nested_deeper(body, 500) then
    code := 'PAYLOAD_TOO_LARGE';
    detail := 'The body is nested deeper than 500 levels.';
    return;
  end if;
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
  -- No field name contains such an escape, so the replacement does not matter.
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

-- Whether a text, if it is JSON, has more than this many levels of arrays and objects. The literal begins with E,
-- because with standard_conforming_strings off a backslash in a plain literal would escape the next character.
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
      select sum(case when bracket in ('[', '{') then 1 else -1 end) over (order by n) as depth
      from string_to_table(brackets, null) with ordinality as each(bracket, n)) nested), false);
end $$;

-- A JSON text without the escapes that JSON does not need, which PHP and Python write for slashes and beyond ASCII.
--
-- JSON has no unescaped control characters, so three of them are free here: chr(1) for an escaped backslash, chr(2)
-- for a backslash that stays, and chr(3) for those of a surrogate pair while lone halves are marked, which unistr
-- would refuse. (A regular expression with lookaround would take quadratic time.)
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
