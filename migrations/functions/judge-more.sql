-- Checks of what few emits have: the time for which they are kept, a former state, and webhooks that they are for.

-- Checks these of a call, where nothing else was found. is_checked: the caller has checked the former states.
--
-- Returns the former states as they are stored, and the targets as judge_targets resolves them. Raises HW011 when the
-- arrays do not fit together.
create or replace function hookwright.judge_more(
  tenant_ids bigint[], event_types text[], keep_hours integer[], targets jsonb, is_checked boolean,
  inout previous text[], inout refusals text[], inout details text[], out resolved jsonb[])
language plpgsql as $$
declare
  hours_max integer := (select keep_hours_max from hookwright.outbox_limits);
  judged record;
  code text;
  detail text;
begin
  if cardinality(keep_hours) <> cardinality(tenant_ids) or cardinality(previous) <> cardinality(tenant_ids)
     or targets is not null and jsonb_array_length(case when jsonb_typeof(targets) = 'array' then targets else '[]' end)
        <> cardinality(tenant_ids) then
    raise exception using errcode = 'HW011', message = 'The arrays must have one element for each event.';
  end if;
  for i in 1..cardinality(tenant_ids) loop
    code := refusals[i];
    detail := details[i];
    resolved[i] := null;
    if code is null and (keep_hours[i] < 1 or keep_hours[i] > hours_max) then
      code := 'KEEP_HOURS_OUT_OF_RANGE';
      detail := format('An event is kept for 1 to %s hours.', hours_max);
    end if;
    if code is null and previous[i] is not null and is_checked is not true then
      select j.* into judged from hookwright.judge_previous(previous[i]) j;
      code := judged.code;
      detail := judged.detail;
      previous[i] := judged.unescaped;
    end if;
    -- emit_events_once says what is wrong with the type.
    if code is null and targets -> (i - 1) <> 'null'
       and exists (select from hookwright.event_types t where t.name = event_types[i]) then
      select j.* into judged from hookwright.judge_targets(tenant_ids[i], event_types[i], targets -> (i - 1)) j;
      code := judged.code;
      detail := judged.detail;
      resolved[i] := judged.resolved;
    end if;
    refusals[i] := code;
    details[i] := detail;
  end loop;
  if targets is null then
    resolved := null;
  end if;
end $$;

-- Checks a former state as judge_emits checks bodies, but for their schemas. Returns the text to store, and the error's
-- code and sentence; nulls when it is valid.
create or replace function hookwright.judge_previous(
  previous text, out code text, out detail text, out unescaped text)
language plpgsql stable as $$
declare
  limits hookwright.outbox_limits := (select l from hookwright.outbox_limits l);
begin
  if not limits.previous_allowed then
    code := 'PREVIOUS_OFF';
    return;
  end if;
  -- An escape is at most six times as long as the character.
  if octet_length(previous) <= 6 * limits.payload_bytes_max then
    select replace(j.code, 'PAYLOAD_', 'PREVIOUS_'), replace(j.detail, 'The body', 'The former state')
    into code, detail from hookwright.judge_body(previous, null) j;
    unescaped := case when code is null then hookwright.unescaped_body(previous) end;
  end if;
  if code is null and (octet_length(unescaped) <= limits.payload_bytes_max) is not true then
    code := 'PREVIOUS_TOO_LARGE';
    detail := format('The former state has %s bytes; at most %s are allowed.',
                     octet_length(coalesce(unescaped, previous)), limits.payload_bytes_max);
  end if;
end $$;

-- Checks and resolves the webhooks that an event is for: a JSON list of 1 to 100 objects with webhook_id or
-- external_id, and path where the webhook has the option callback.
--
-- Returns an object with the paths by the ids of the webhooks, or the error's code and sentence, which begins with the
-- place in the list.
create or replace function hookwright.judge_targets(
  tenant bigint, type text, given jsonb, out code text, out detail text, out resolved jsonb)
language plpgsql stable as $$
declare
  target record;
  found record;
  found_path text;
begin
  resolved := '{}';
  if jsonb_typeof(given) <> 'array' or jsonb_array_length(given) not between 1 and 100 then
    code := 'TARGETS_MALFORMED';
    detail := 'The targets of an event are a list of 1 to 100 webhooks.';
    return;
  end if;
  for target in select t.value, t.ord - 1 as at from jsonb_array_elements(given) with ordinality as t(value, ord) loop
    found_path := target.value ->> 'path';
    if not hookwright.is_target(target.value) then
      code := 'TARGETS_MALFORMED';
      detail := 'has either webhook_id (a number) or external_id (a text), perhaps path (a text), and nothing else';
    elsif not hookwright.is_target_path(found_path) then
      code := 'PATH_MALFORMED';
      detail := 'has a malformed path: it begins with "/", has at most 1024 characters of a path and a query (others '
        || 'are %-escaped), before the "?" no "//", no segment "." or ".." and no escaped dot, slash or backslash, and '
        || 'nowhere an escaped control character';
    else
      select w.id, w.active or w.hold_until > now() as is_open, o.callback is true as takes_path,
             w.event_types = '{*}' or type = any(w.event_types) as is_subscribed into found
      from hookwright.webhooks w left join hookwright.webhook_options o on o.webhook_id = w.id
      where w.tenant_id = tenant and w.deleted_at is null
        and w.id = coalesce((target.value ->> 'webhook_id')::bigint, (
          select named.webhook_id from hookwright.webhook_options named
          where named.external_id = target.value ->> 'external_id' and named.tenant_id = tenant));
      code := case when found.id is null then 'WEBHOOK_UNKNOWN'
        when not found.is_subscribed then 'NOT_SUBSCRIBED' when found.is_open is not true then 'WEBHOOK_INACTIVE'
        when resolved ? found.id::text then 'TARGET_TWICE'
        when found.takes_path and found_path is null then 'PATH_MISSING'
        when not found.takes_path and found_path is not null then 'PATH_NOT_TAKEN' end;
      detail := case code when 'WEBHOOK_UNKNOWN' then 'is no webhook of the tenant'
        when 'NOT_SUBSCRIBED' then 'does not subscribe to events of this type'
        when 'WEBHOOK_INACTIVE' then 'is inactive and holds no deliveries' when 'TARGET_TWICE' then 'stands there twice'
        when 'PATH_MISSING' then 'has the option callback, so it needs a path'
        when 'PATH_NOT_TAKEN' then 'does not have the option callback, so it takes no path' end;
    end if;
    if code is not null then
      detail := format('targets[%s] %s.', target.at, detail);
      return;
    end if;
    resolved := resolved || jsonb_build_object(found.id::text, found_path);
  end loop;
end $$;

-- Whether a JSON value has the form of a target.
create or replace function hookwright.is_target(value jsonb) returns boolean
language sql immutable parallel safe
return jsonb_typeof(value) = 'object' and (value ? 'webhook_id') <> (value ? 'external_id')
  and value - array['webhook_id', 'external_id', 'path'] = '{}'
  and case when value ? 'external_id' then jsonb_typeof(value -> 'external_id') = 'string'
           else value ->> 'webhook_id' ~ '^[0-9]{1,16}$' end
  and coalesce(jsonb_typeof(value -> 'path') in ('string', 'null'), true);

-- Whether a text may stand behind a webhook's url: no receiver may take it for another place than it shows. Null may.
create or replace function hookwright.is_target_path(path text) returns boolean
language sql immutable parallel safe
return path is null or length(path) <= 1024
  and path collate "C" ~ '^/([A-Za-z0-9._~!$&''()*+,;=:@/-]|%[0-9A-Fa-f]{2})*'
                         '([?]([A-Za-z0-9._~!$&''()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?$'
  and path collate "C" !~ '%([01][0-9A-Fa-f]|7[fF])'
  and split_part(path, '?', 1) collate "C" !~ '//|%(2[fFeE]|5[cC])|/[.][.]?(;[^/]*)?(/|$)';
