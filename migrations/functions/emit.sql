-- The ways by which events enter: for applications (docs/outbox.md) and for the API.

-- Emits one event in an application's own transaction. A refused event raises an SQLSTATE of hookwright.refusal, which
-- ends that transaction: the message is a sentence, the detail the error code, the hint says what to do.
create or replace function hookwright.emit(
  tenant_id bigint, event_type text, body text, idempotency_key text default null,
  schema_checked boolean default false, ordering_key text default null, schema_version integer default null,
  keep_hours integer default null, previous text default null, targets jsonb default null
) returns table (event_id bigint, delivery_count integer, duplicate boolean)
language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
declare
  answer record;
begin
  select * into answer from hookwright.emit_events(
    array[emit.tenant_id], array[emit.event_type], array[emit.body], array[emit.idempotency_key],
    schema_checked => emit.schema_checked,
    ordering_keys => case when emit.ordering_key is not null then array[emit.ordering_key] end,
    keep_hours => case when emit.keep_hours is not null then array[emit.keep_hours] end,
    previous => case when emit.previous is not null then array[emit.previous] end,
    targets => case when emit.targets is not null then jsonb_build_array(emit.targets) end,
    type_versions => case when emit.schema_version is not null then array[emit.schema_version] end);
  if answer.error_code is not null then
    perform hookwright.refuse(answer.error_code, answer.error_detail, 'docs/outbox.md, "What is refused"');
  end if;
  return query select answer.event_id, answer.delivery_count, answer.duplicate;
end $$;

-- Writes events with their deliveries, jobs and idempotency keys, in the caller's transaction if it has one.
--
-- The arguments are arrays of one length, with one element for each event. The rows of the answer are numbered from 0.
-- - only_webhook_ids: the one webhook that gets the event, whatever it subscribes to (a test); null: all subscribers
-- - priorities: of the jobs (src/domain/pacing/lanes.ts); null: 0, and 10 for what is beyond a tenant's share
-- - schema_checked: the caller has checked the bodies by the schemas of their types. From the API this covers all that
--   judge_emits checks; from another role only the schemas that SQL cannot check
-- - ordering_keys: 1 to 255 printable ASCII characters each, or null; null: no event has one. Webhooks with the order
--   KEY get events of one key in the order of commits
-- - type_versions: the versions of their types that the bodies were checked by; null: from the API, that none of them
--   has a converter; from another role, the newest one
-- - traceparents: W3C trace contexts, null where an event is not sampled; for the service itself. A duplicate keeps the
--   trace of its first emit
-- - keep_hours: for how many hours an event is kept; null: as long as others
-- - previous: the states before the changes that the events report, as texts of JSON objects, or null
-- - targets: a JSON list with null, or a list of webhooks, for each event (judge_targets)
-- - error_code: a code of emit_events_once, judge_emits or judge_more, or ORDERING_KEY_MALFORMED. Such an item writes
--   nothing
--
-- Two ids can be equal after the clock was set back, and a day's partition is missing when no daemon has run for two
-- weeks: then it tries again with new ids, or makes the partition.
--
-- Raises HW011 for arguments that do not fit together, and HW012 for more than 100,000 deliveries. When another open
-- transaction, such as an application's, has a key of the API's emits for longer than those wait: query_canceled for an
-- idempotency key, after a second; HW016 for an ordering key (insert_deliveries).
create or replace function hookwright.emit_events(
  tenant_ids bigint[], event_types text[], bodies text[], idempotency_keys text[] default null,
  only_webhook_ids bigint[] default null, priorities integer[] default null,
  schema_checked boolean default false, ordering_keys text[] default null, type_versions integer[] default null,
  traceparents text[] default null, keep_hours integer[] default null, previous text[] default null,
  targets jsonb default null
) returns table (item integer, event_id bigint, delivery_count integer, duplicate boolean, error_code text,
                 error_detail text)
language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp
-- Planning takes twice as long as running it, and no arguments make another plan better.
set plan_cache_mode = force_generic_plan as $$
declare
  restricted boolean := not hookwright.may_emit_for_all();
  refusals text[];
  details text[];
  resolved jsonb[];
  tries integer := 0;
  violated text;
  hurries boolean := not restricted and cardinality(array_remove(idempotency_keys, null)) > 0;
  lock_timeout text := current_setting('lock_timeout');
begin
  if restricted or schema_checked is distinct from true then
    perform hookwright.require_arguments(
      tenant_ids, event_types, bodies, idempotency_keys, only_webhook_ids, priorities, traceparents, restricted);
    select j.refusals, j.details, coalesce(j.unescaped, bodies), j.versions
    into refusals, details, bodies, type_versions
    from hookwright.judge_emits(
      tenant_ids, event_types, bodies, idempotency_keys, restricted, schema_checked is true, type_versions) j;
  end if;
  if restricted then
    perform hookwright.note_outbox_emits(tenant_ids);
  end if;
  refusals := hookwright.judge_ordering_keys(ordering_keys, refusals, cardinality(tenant_ids));
  if keep_hours is not null or previous is not null or targets is not null then
    select j.previous, j.refusals, j.details, j.resolved into previous, refusals, details, resolved
    from hookwright.judge_more(tenant_ids, event_types, keep_hours, targets, schema_checked and not restricted,
                               previous, refusals, details) j;
  end if;
  loop
    begin
      if hurries then
        perform set_config('lock_timeout', '1s', true);
      end if;
      return query select e.item, e.event_id, e.delivery_count, e.duplicate, e.error_code,
          case when e.error_code is not null
            then coalesce(details[e.item + 1], (hookwright.refusal(e.error_code)).sentence) end
        from hookwright.emit_events_once(tenant_ids, event_types, bodies, idempotency_keys, only_webhook_ids,
          priorities, refusals, ordering_keys => ordering_keys, type_versions => type_versions,
          traceparents => traceparents, keep_hours => keep_hours, previous => previous, targets => resolved) e;
      if hurries then
        perform set_config('lock_timeout', lock_timeout, true);
      end if;
      return;
    exception
      when unique_violation then
        get stacked diagnostics violated = table_name;
        if tries >= 50 or violated !~ '^(events|deliveries)_' then
          raise;
        end if;
        perform pg_sleep(0.002 * tries);
      when check_violation then
        if tries >= 3 then
          raise;
        end if;
        perform hookwright.make_partitions(2);
      when lock_not_available then
        if restricted then
          raise;
        end if;
        raise query_canceled using message = 'Another transaction is writing an event with one of these keys.';
    end;
    tries := tries + 1;
  end loop;
end $$;

-- emit_events as processes of 0.1.0 call it for events with a trace.
create or replace function hookwright.emit_traced_events(
  tenant_ids bigint[], event_types text[], bodies text[], idempotency_keys text[], only_webhook_ids bigint[],
  priorities integer[], traceparents text[]
) returns table (item integer, event_id bigint, delivery_count integer, duplicate boolean, error_code text)
language sql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
  select e.item, e.event_id, e.delivery_count, e.duplicate, e.error_code
  from hookwright.emit_events(tenant_ids, event_types, bodies, idempotency_keys, only_webhook_ids, priorities,
                              schema_checked => true, traceparents => emit_traced_events.traceparents) e
$$;

-- Raises HW011 when the arrays of a call do not fit together, or when an application (restricted) uses an argument
-- that is for the service itself.
create or replace function hookwright.require_arguments(
  tenant_ids bigint[], event_types text[], bodies text[], idempotency_keys text[], only_webhook_ids bigint[],
  priorities integer[], traceparents text[], restricted boolean
) returns void
language plpgsql immutable as $$
begin
  if cardinality(tenant_ids) is null or cardinality(event_types) is distinct from cardinality(tenant_ids)
     or cardinality(bodies) is distinct from cardinality(tenant_ids)
     or cardinality(idempotency_keys) <> cardinality(tenant_ids) then
    raise exception using errcode = 'HW011', message = 'The arrays must have one element for each event.';
  end if;
  if restricted and cardinality(tenant_ids) > 1000 then
    raise exception using errcode = 'HW011', message = 'At most 1000 events fit into one call.';
  end if;
  -- They would let a caller past the types that are reserved, and past others in the queue.
  if restricted and (only_webhook_ids is not null or priorities is not null or traceparents is not null) then
    raise exception using errcode = 'HW011',
      message = 'only_webhook_ids, priorities and traceparents are for the service itself.';
  end if;
end $$;

-- Adds ORDERING_KEY_MALFORMED to the refusals of a call with this many events. No keys: they stay as they are.
create or replace function hookwright.judge_ordering_keys(ordering_keys text[], refusals text[], events integer)
returns text[]
language plpgsql immutable as $$
begin
  if ordering_keys is null then
    return refusals;
  end if;
  if cardinality(ordering_keys) is distinct from events then
    raise exception using errcode = 'HW011', message = 'The arrays must have one element for each event.';
  end if;
  return array(
    select coalesce(refusals[i.ord],
             case when i.key !~ '^[ -~]{1,255}$' collate "C" then 'ORDERING_KEY_MALFORMED' end)
    from unnest(ordering_keys) with ordinality as i(key, ord) order by i.ord);
end $$;

-- How a refusal is reported to an application: an SQLSTATE of our own, a sentence and a hint. Hint null: see the docs.
create or replace function hookwright.refusal(code text, out state text, out sentence text, out hint text)
language sql immutable as $$
  select known.state, known.sentence, known.hint from (values
    ('TENANT_UNKNOWN', 'HW001', 'There is no such tenant.', null),
    ('TENANT_NOT_GRANTED', 'HW001', 'This role may not emit for the tenant.',
      'Run: hookwright outbox grant <role> --tenant <id>. What counts is the role that logged in, not SET ROLE.'),
    ('TENANT_MOVING', 'HW020', 'The tenant is being moved to another cell.', 'Try again in a second.'),
    ('TENANT_ELSEWHERE', 'HW021', 'The tenant lives in another cell.', 'Emit in the database of that cell.'),
    ('EVENT_TYPE_UNKNOWN', 'HW002', 'There is no such event type.', null),
    ('EVENT_TYPE_RESERVED', 'HW003', 'Only the service itself emits events of this type.', null),
    ('EVENT_TYPE_DEPRECATED', 'HW004', 'The event type is deprecated.', null),
    ('PAYLOAD_NO_JSON_OBJECT', 'HW005', 'The body is not the text of a JSON object.', null),
    ('PAYLOAD_TOO_LARGE', 'HW006', 'The body is too long.', null),
    ('PAYLOAD_BREAKS_SCHEMA', 'HW007', 'The body breaks the schema of the event type.', null),
    ('SCHEMA_NOT_CHECKED', 'HW008', 'The schema of this event type cannot be checked in the database.',
      'Check the body by EventType.schema in the application, and say schema_checked => true.'),
    ('SCHEMA_VERSION_UNKNOWN', 'HW011', 'The event type has no schema of this version.', null),
    ('IDEMPOTENCY_KEY_REUSED', 'HW009',
      'The idempotency key was used for an event of another type, or with another body, ordering key, former state '
      'or targets.', null),
    ('IDEMPOTENCY_KEY_INVALID', 'HW010', 'An idempotency key has 1 to 255 printable ASCII characters.', null),
    ('ORDERING_KEY_MALFORMED', 'HW013', 'An ordering key has 1 to 255 printable ASCII characters.', null),
    ('ARGUMENT_MISSING', 'HW011', 'Tenant, event type and body must not be null.', null),
    ('DELIVER_AT_TOO_FAR', 'HW014', 'An event can be scheduled at most 90 days ahead.', null),
    ('SCHEDULED_LIMIT_REACHED', 'HW015', 'The tenant has 100000 scheduled events, the limit.', null),
    ('TARGETS_MALFORMED', 'HW017', 'The targets are a list of webhooks.', null),
    ('PATH_MALFORMED', 'HW017', 'The path of a target is malformed.', null),
    ('WEBHOOK_UNKNOWN', 'HW017', 'The tenant has no such webhook.', null),
    ('WEBHOOK_INACTIVE', 'HW017', 'A webhook is inactive and holds no deliveries.', null),
    ('NOT_SUBSCRIBED', 'HW017', 'A webhook does not subscribe to events of this type.', null),
    ('TARGET_TWICE', 'HW017', 'A webhook stands there twice.', null),
    ('PATH_MISSING', 'HW017', 'A webhook with the option callback needs a path.', null),
    ('PATH_NOT_TAKEN', 'HW017', 'A webhook without the option callback takes no path.', null),
    ('PREVIOUS_OFF', 'HW018', 'The setting PREVIOUS=off refuses former states.', null),
    ('PREVIOUS_NO_JSON_OBJECT', 'HW018', 'The former state is not the text of a JSON object.', null),
    ('PREVIOUS_TOO_LARGE', 'HW018', 'The former state is too long.', null),
    ('KEEP_HOURS_OUT_OF_RANGE', 'HW019', 'An event is kept for an hour or more, and less than the retention.', null)
  ) as known(code, state, sentence, hint)
  where known.code = refusal.code
$$;

-- Raises a refusal. sentence null: the one that all refusals of this code have. page: what the hint leads to where the
-- refusal has none of its own.
create or replace function hookwright.refuse(code text, sentence text, page text) returns void
language plpgsql as $$
declare
  refusal record := hookwright.refusal(code);
begin
  raise exception using errcode = refusal.state, message = coalesce(sentence, refusal.sentence), detail = code,
    hint = coalesce(refusal.hint, 'See ' || page || '.');
end $$;

-- Whether the role that logged in may emit for every tenant, as the service does. Only a member can have set the role;
-- asking that first saves the API's emits a look-up.
create or replace function hookwright.may_emit_for_all() returns boolean
language sql stable
return current_setting('role') = 'hookwright_api' or pg_has_role(session_user, 'hookwright_api', 'member');

grant execute on function hookwright.emit_events, hookwright.emit_traced_events to hookwright_api;
