-- Scheduled events: written, taken back, and emitted when they are due (docs/decisions/0060).

-- Schedules one event in an application's own transaction. A refusal is raised as hookwright.emit raises it. The same
-- idempotency key answers with the first event, whatever deliver_at says.
create or replace function hookwright.schedule(
  tenant_id bigint, event_type text, body text, deliver_at timestamptz, idempotency_key text default null,
  schema_checked boolean default false, ordering_key text default null, schema_version integer default null,
  keep_hours integer default null, previous text default null, targets jsonb default null
) returns table (scheduled_event_id bigint, due_at timestamptz, duplicate boolean)
language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
#variable_conflict use_variable
declare
  code text;
  sentence text;
  unescaped text;
  checked_version integer;
begin
  select j.refusals[1], j.details[1], j.unescaped[1], j.versions[1] into code, sentence, unescaped, checked_version
  from hookwright.judge_emits(
    array[tenant_id], array[event_type], array[body], array[idempotency_key],
    not hookwright.may_emit_for_all(), schema_checked is true,
    case when schema_version is not null then array[schema_version] end) j;
  if code is null then
    select w.scheduled_id, w.due, w.is_duplicate, w.error_code, w.error_detail
    into scheduled_event_id, due_at, duplicate, code, sentence
    from hookwright.write_scheduled_event(
      tenant_id, event_type, coalesce(unescaped, body), deliver_at, idempotency_key, ordering_key, keep_hours,
      checked_version, previous, targets, is_checked => false) w;
    sentence := case code when 'ARGUMENT_MISSING' then 'The time must not be null.' else sentence end;
  end if;
  if code is not null then
    perform hookwright.refuse(code, sentence, 'docs/scheduled.md, "In your own transaction"');
  end if;
  return next;
end $$;

-- Cancels a scheduled event in an application's own transaction.
--
-- Returns its state: CANCELED, or EMITTED when it was too late; null when the tenant has no such event.
create or replace function hookwright.unschedule(tenant_id bigint, id bigint) returns text
language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
begin
  if not hookwright.may_emit_for_all() and not exists (
    select from hookwright.outbox_grants g
    where g.role_name = session_user and g.tenant_id = unschedule.tenant_id) then
    perform hookwright.refuse('TENANT_NOT_GRANTED', format(
      'The role %I may not emit for tenant %s.', session_user, unschedule.tenant_id),
      'docs/scheduled.md, "In your own transaction"');
  end if;
  perform hookwright.refuse(case t.moving when 'CLOSED' then 'TENANT_MOVING' else 'TENANT_ELSEWHERE' end, null,
    'docs/scheduled.md, "In your own transaction"')
  from hookwright.tenants t where t.id = unschedule.tenant_id and t.moving in ('CLOSED', 'GONE');
  update hookwright.scheduled_events s set status = 'CANCELED', finished_at = clock_timestamp()
  where s.tenant_id = unschedule.tenant_id and s.id = unschedule.id and s.status = 'SCHEDULED';
  return (
    select s.status from hookwright.scheduled_events s
    where s.tenant_id = unschedule.tenant_id and s.id = unschedule.id);
end $$;

-- Writes a scheduled event whose body and idempotency key are checked.
--
-- - keep_for: how many hours its event is kept after it was emitted; null: as long as others
-- - checked_version: the version of its type that the body was checked by; null: one without a converter
-- - previous, targets: as in emit_events, of one event. Webhooks that do not get events of the type when it is due are
--   left out then
-- - is_checked: the caller has checked `previous`
-- - is_duplicate: an event with the key and the same content is open, or was emitted within 7 days
-- - error_code: one of judge_more, with a sentence; ARGUMENT_MISSING, TENANT_UNKNOWN, TENANT_MOVING, TENANT_ELSEWHERE,
--   EVENT_TYPE_UNKNOWN, EVENT_TYPE_RESERVED, EVENT_TYPE_DEPRECATED, ORDERING_KEY_MALFORMED, DELIVER_AT_TOO_FAR,
--   IDEMPOTENCY_KEY_REUSED, SCHEDULED_LIMIT_REACHED. Nothing is written
create or replace function hookwright.write_scheduled_event(
  tenant bigint, type text, payload text, deliver timestamptz, once_key text, order_key text,
  keep_for integer default null, checked_version integer default null, previous text default null,
  targets jsonb default null, is_checked boolean default true,
  out scheduled_id bigint, out due timestamptz, out is_duplicate boolean, out error_code text, out error_detail text)
language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
declare
  called_at timestamptz := clock_timestamp();
  tenant_now record;
  kind record;
  known record;
  hash bytea;
begin
  is_duplicate := false;
  select t.id, t.moving into tenant_now from hookwright.tenants t where t.id = tenant and t.deleted_at is null;
  select et.reserved, et.deprecated_at into kind from hookwright.event_types et where et.name = type;
  error_code := case
    when deliver is null then 'ARGUMENT_MISSING'
    when tenant_now.id is null then 'TENANT_UNKNOWN'
    when tenant_now.moving = 'CLOSED' then 'TENANT_MOVING'
    when tenant_now.moving = 'GONE' then 'TENANT_ELSEWHERE'
    when kind.reserved is null then 'EVENT_TYPE_UNKNOWN'
    when kind.reserved then 'EVENT_TYPE_RESERVED'
    when kind.deprecated_at is not null then 'EVENT_TYPE_DEPRECATED'
    when order_key !~ '^[ -~]{1,255}$' collate "C" then 'ORDERING_KEY_MALFORMED'
    -- In hours, which are equally long in every time zone.
    when deliver > called_at + interval '2160 hours' then 'DELIVER_AT_TOO_FAR'
  end;
  if keep_for is not null or previous is not null or targets is not null then
    select j.previous[1], j.refusals[1], j.details[1], j.resolved[1] into previous, error_code, error_detail, targets
    from hookwright.judge_more(array[tenant], array[type], array[keep_for], jsonb_build_array(targets), is_checked,
                               array[previous], array[error_code], array[null::text]) j;
  end if;
  hash := hookwright.hash_of_emit(type, payload, order_key, previous, targets);
  -- Again when another transaction has written, or the duty has emitted, an event with the key meanwhile.
  while error_code is null and scheduled_id is null loop
    select s.id, s.deliver_at,
           coalesce(s.content_hash, hookwright.hash_of_emit(
             s.event_type, s.body, s.ordering_key, s.previous, s.targets)) = hash as is_same
    into known
    from hookwright.scheduled_events s
    where once_key is not null and s.tenant_id = tenant
      and s.idempotency_key in (once_key, hookwright.erased_key(tenant, once_key))
      and (s.status <> 'CANCELED' or s.erased_at is not null)
      and (s.finished_at is null or s.finished_at > called_at - interval '7 days')
    order by s.id desc limit 1;
    if known.is_same then
      scheduled_id := known.id;
      due := known.deliver_at;
      is_duplicate := true;
    elsif known.id is not null or exists (
      select from hookwright.idempotency_keys k
      where k.tenant_id = tenant and k.key in (once_key, hookwright.erased_key(tenant, once_key))
        and k.created_at > called_at - interval '7 days'
        and k.request_hash <> hash
    ) then
      error_code := 'IDEMPOTENCY_KEY_REUSED';
    elsif (select count(*) from (
             select from hookwright.scheduled_events s where s.tenant_id = tenant and s.status = 'SCHEDULED'
             limit hookwright.scheduled_events_max()) counted) >= hookwright.scheduled_events_max() then
      error_code := 'SCHEDULED_LIMIT_REACHED';
    else
      insert into hookwright.scheduled_events as s (tenant_id, event_type, body, deliver_at, due_at, idempotency_key,
                                                    ordering_key, keep_hours, type_version, previous, targets,
                                                    created_at)
      values (tenant, type, payload, greatest(deliver, called_at), greatest(deliver, called_at), once_key, order_key,
              keep_for, checked_version, write_scheduled_event.previous, write_scheduled_event.targets, called_at)
      on conflict (tenant_id, idempotency_key, (case when status = 'SCHEDULED' then 0::bigint else id end))
        where idempotency_key is not null do nothing
      returning s.id, s.deliver_at into scheduled_id, due;
    end if;
  end loop;
end $$;

-- Emits the scheduled events that are due, at most this many, in the order of their times. Events that another session
-- has locked are left for the next call, and so are those of a tenant that is closed for its move. All are, while
-- another call runs: of two batches the later one could commit first.
--
-- An event of a tenant that was deleted, or whose idempotency key was used for something else meanwhile, is canceled.
-- A single event that cannot be emitted now, because an application has its key locked, is tried again in two seconds,
-- and with it those of its ordering key. Several fail together.
--
-- - looked: how many were due
-- - refused: how many of them were canceled
-- - problem: why the only one was not emitted; null: it was
create or replace function hookwright.emit_scheduled(
  most integer, out looked integer, out refused integer, out problem text)
language plpgsql as $$
declare
  called_at timestamptz := clock_timestamp();
  closed bigint[];
  due record;
  ids bigint[];
  owners bigint[];
  errors text[];
begin
  looked := 0;
  refused := 0;
  -- One probe of the index. The planner may read the table for an exists.
  if ((select min(s.due_at) from hookwright.scheduled_events s where s.status = 'SCHEDULED') <= called_at) is not true
  then
    return;
  end if;
  begin
    if not pg_try_advisory_xact_lock(hashtextextended('hookwright.emit-scheduled', 0)) then
      return;
    end if;
    perform set_config('lock_timeout', '100ms', true);
    closed := array(select t.id from hookwright.tenants t where t.moving is not null and t.moving <> 'DRAINING');
    select count(*)::integer as count, array_agg(s.id order by nth) as ids, array_agg(s.body order by nth) as bodies,
           array_agg(s.tenant_id order by nth) as tenant_ids, array_agg(s.event_type order by nth) as event_types,
           array_agg(s.idempotency_key order by nth) as keys, array_agg(s.ordering_key order by nth) as ordering_keys,
           array_agg(s.keep_hours order by nth) as keep_hours, array_agg(s.type_version order by nth) as type_versions,
           array_agg(s.previous order by nth) as previous, array_agg(s.targets order by nth) as targets
    into due
    from (select s.*, row(s.due_at, s.deliver_at, s.id) as nth from hookwright.scheduled_events s
          where s.status = 'SCHEDULED' and s.due_at <= called_at
            and (s.tenant_id <> all(closed)) is true
          order by s.due_at, s.deliver_at, s.id limit most for update skip locked) s;
    if due.count = 0 then
      return;
    end if;
    select array_agg(case when t.id is not null then hookwright.next_id() end order by i.ord),
           array_agg(case when t.id is null then 'TENANT_UNKNOWN' end order by i.ord) into ids, errors
    from unnest(due.tenant_ids) with ordinality as i(tenant_id, ord)
    left join hookwright.tenants t on t.id = i.tenant_id and t.deleted_at is null;
    select k.owners, k.errors into owners, errors from hookwright.remember_keys(
      due.tenant_ids, due.event_types, due.bodies, due.keys, ids, errors, due.ordering_keys, due.previous,
      due.targets) k;
    -- Not emit_events_once, which refuses types that were deprecated since.
    perform hookwright.write_events_flow(due.tenant_ids, due.event_types, due.bodies, null, null, ids, owners, errors,
      called_at, null, null, null, due.ordering_keys, due.type_versions, due.previous, due.targets);
    update hookwright.scheduled_events s
    set status = case when e.error is null then 'EMITTED' else 'CANCELED' end,
        event_id = case when e.error is null then e.owner end, error = e.error, finished_at = clock_timestamp()
    from unnest(due.ids, owners, errors) as e(id, owner, error)
    where s.id = e.id;
    perform hookwright.note_emits(due.tenant_ids, ids, owners, errors, null, due.keep_hours);
    looked := due.count;
    refused := cardinality(array_remove(errors, null));
  exception when others then
    if most > 1 then
      raise;
    end if;
    looked := 1;
    problem := sqlerrm;
    update hookwright.scheduled_events s set due_at = called_at + interval '2 seconds'
    where s.status = 'SCHEDULED' and s.due_at <= called_at + interval '2 seconds'
      and (s.id = due.ids[1] or s.tenant_id = due.tenant_ids[1] and s.ordering_key = due.ordering_keys[1]);
  end;
end $$;

-- How many scheduled events of a tenant may be open, which a test can change.
create or replace function hookwright.scheduled_events_max() returns integer
language sql immutable parallel safe
return 100000;

grant execute on function hookwright.write_scheduled_event to hookwright_api;
