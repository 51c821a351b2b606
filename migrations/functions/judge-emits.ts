/**
 * Checks what the API has checked already when it calls `emit_events_once`: arguments, grants, idempotency keys and
 * bodies. Grants count for the role that logged in; within `emit_events`, current_user is the owner.
 *
 * Bodies are stored, signed and sent without the escapes that JSON does not need (docs/interface.md, "Deliveries"),
 * and their length is that of the text without them.
 *
 * @returns per item the code of the error and its sentence, null where there is none; and the bodies to store, null
 *   when these are the ones that came in
 */
export const judgeEmits = `
create or replace function hookwright.judge_emits(
  tenant_ids bigint[], event_types text[], bodies text[], idempotency_keys text[], restricted boolean,
  schema_checked boolean, out refusals text[], out details text[], out unescaped text[])
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
begin
  for item in
    select * from unnest(tenant_ids, event_types, bodies, idempotency_keys)
      with ordinality as i(tenant_id, event_type, body, key, ord)
  loop
    code := null;
    detail := null;
    body := item.body;
    escaped := strpos(body, chr(92)) > 0;
    -- No escape is more than six times as long as what it stands for.
    longest := case when escaped then 6 else 1 end * bytes_max;
    select t.reserved or t.deprecated_at is not null as unusable, t.text_fields into kind
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
      select j.code, j.detail into code, detail from hookwright.judge_body(body, kind.text_fields) j;
      if code is null and kind.text_fields is null and not schema_checked then
        code := 'SCHEMA_NOT_CHECKED';
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

revoke execute on function hookwright.judge_emits from public;
`;
