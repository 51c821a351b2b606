-- Erasure of events, with all that was kept of their payloads (docs/decisions/0091).

-- The hash that replaces an erased idempotency key, so that the same key is recognised again. It begins with a line
-- feed, which no key has that somebody sends.
create or replace function hookwright.erased_key(tenant bigint, key text) returns text
language sql stable parallel safe
return E'\n' || encode(sha256(convert_to(tenant || E'\n' || key, 'UTF8')), 'hex');

-- Erases events of a tenant: their bodies, the answers to their deliveries, ordering and idempotency keys, notices, and
-- the scheduled events that they were. Open deliveries are canceled. The rows stay.
--
-- Returns those that were not erased before.
create or replace function hookwright.erase_events(tenant bigint, event_ids bigint[]) returns bigint[]
language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp
set plan_cache_mode = force_custom_plan as $$
declare
  low bigint := (select min(id) from unnest(event_ids) id);
  high bigint := (select max(id) from unnest(event_ids) id);
  fresh bigint[];
  notices text[];
begin
  -- Two erasures would wait for each other's rows.
  perform pg_advisory_xact_lock(hashtextextended('hookwright.erase.' || tenant, 0));
  -- A replay that has read one of them ends first.
  fresh := array(
    select e.id from hookwright.events e
    where e.tenant_id = tenant and e.id = any(event_ids) and e.id between low and high and e.erased_at is null
    order by e.id for update);
  if cardinality(fresh) = 0 then
    return fresh;
  end if;
  perform hookwright.erase_deliveries(tenant, fresh);
  update hookwright.idempotency_keys k set key = hookwright.erased_key(tenant, k.key)
  where k.event_id = any(fresh) and (k.tenant_id = tenant) is true;
  update hookwright.scheduled_events s
  set body = '{}', content_hash = hookwright.hash_of_emit(s.event_type, s.body, s.ordering_key), ordering_key = null,
      idempotency_key = hookwright.erased_key(tenant, s.idempotency_key), erased_at = clock_timestamp()
  where s.event_id = any(fresh) and (s.tenant_id = tenant) is true and s.erased_at is null;
  notices := array(
    select e.body from hookwright.events e join hookwright.event_types t on t.name = e.event_type and t.reserved
    where e.tenant_id = tenant and e.id = any(fresh) and e.id between low and high);
  if cardinality(notices) > 0 then
    delete from hookwright.notices n
    where n.body = any(notices) and n.recipient_id = any(array(
      select r.id from hookwright.notice_recipients r where r.tenant_id = tenant));
  end if;
  update hookwright.events e
  set body = '{}', erased_bytes = octet_length(e.body), ordering_key = null, erased_at = clock_timestamp()
  where e.tenant_id = tenant and e.id = any(fresh) and e.id between low and high;
  return fresh;
end $$;

-- The part of erase_events that is about deliveries. Webhooks are locked first, as everywhere, where outcomes may come.
create or replace function hookwright.erase_deliveries(tenant bigint, event_ids bigint[]) returns void
language plpgsql set plan_cache_mode = force_custom_plan as $$
declare
  -- No delivery is a day (353,894,400,000 ids) older than its event.
  low bigint := (select min(id) from unnest(event_ids) id) - 353894400000;
  found record;
begin
  perform from hookwright.webhooks w
  where w.id = any(array(
    select distinct d.webhook_id from hookwright.deliveries d
    where d.event_id = any(event_ids) and d.id > low and (d.tenant_id = tenant) is true
      and (d.status in ('PENDING', 'WAITING', 'HELD', 'CANCELED')) is true))
  order by w.id for share;
  select array_agg(d.id) as ids, min(d.id) as low, max(d.id) as high,
         array_agg(d.id) filter (where d.ordering_key is not null and d.status = 'WAITING') as waiting,
         array_agg(d.id) filter (where d.ordering_key is not null and d.status <> 'WAITING') as ordered
  into found
  from (select d.id, d.ordering_key, d.status from hookwright.deliveries d
        where d.event_id = any(event_ids) and d.id > low and (d.tenant_id = tenant) is true
        order by d.id for update) d;
  if found.ids is null then
    return;
  end if;
  update hookwright.deliveries d
  set erased = true, ordering_key = null,
      status = case when d.status in ('PENDING', 'WAITING', 'HELD') then 'CANCELED' else d.status end,
      cancel_reason = case when d.status in ('PENDING', 'WAITING', 'HELD') then 'ERASED' else d.cancel_reason end,
      finished_at = case when d.status in ('PENDING', 'WAITING', 'HELD') then clock_timestamp() else d.finished_at end
  where d.id = any(found.ids) and d.id between found.low and found.high;
  update hookwright.attempts a set response_headers = null, response_body = null, response_truncated = false
  where a.delivery_id = any(found.ids) and a.delivery_id between found.low and found.high
    and (a.response_headers is not null or a.response_body is not null) is true;
  if found.waiting is not null then
    perform hookwright.leave_queues(array_fill(tenant, array[cardinality(found.waiting)]), found.waiting);
  end if;
  if found.ordered is not null then
    -- One that has failed may block its key.
    update hookwright.ordering_queue q set blocked_at = null
    where q.tenant_id = tenant and q.delivery_id = any(found.ordered) and q.blocked_at is not null;
    perform hookwright.end_turns(array_fill(tenant, array[cardinality(found.ordered)]), found.ordered);
  end if;
end $$;

-- Erases scheduled events of a tenant, and the events that they have become. Those that are due later are canceled.
--
-- Returns those that were not erased before.
create or replace function hookwright.erase_scheduled_events(tenant bigint, scheduled_ids bigint[]) returns bigint[]
language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp
set plan_cache_mode = force_custom_plan as $$
declare
  erased bigint[];
  emitted bigint[];
begin
  perform pg_advisory_xact_lock(hashtextextended('hookwright.erase.' || tenant, 0));
  with locked as materialized (
    select s.id from hookwright.scheduled_events s
    where s.tenant_id = tenant and s.id = any(scheduled_ids) and s.erased_at is null order by s.id for update),
  changed as (
    update hookwright.scheduled_events s
    set body = '{}', content_hash = hookwright.hash_of_emit(s.event_type, s.body, s.ordering_key), ordering_key = null,
        idempotency_key = hookwright.erased_key(tenant, s.idempotency_key), erased_at = clock_timestamp(),
        status = case when s.status = 'SCHEDULED' then 'CANCELED' else s.status end,
        finished_at = coalesce(s.finished_at, clock_timestamp())
    from locked where s.id = locked.id
    returning s.id, s.event_id)
  select coalesce(array_agg(id order by id), '{}'), array_agg(event_id) filter (where event_id is not null)
  into erased, emitted from changed;
  if emitted is not null then
    perform hookwright.erase_events(tenant, emitted);
  end if;
  return erased;
end $$;

-- Whether a payload meets the condition of an erasure: one that jsonb cannot have does not. Null: there is none.
create or replace function hookwright.is_to_erase(body text, condition jsonpath, type text) returns boolean
language plpgsql stable as $$
declare
  readable jsonb;
begin
  if condition is null then
    return true;
  end if;
  readable := hookwright.readable_body(body, 0);
  return readable is not null and hookwright.passes_filter(readable, condition, type);
end $$;

-- Erases what was only counted of operational events so far (raise_pending): within a time, of some types (null: all).
create or replace function hookwright.erase_pending_causes(
  tenant bigint, since timestamptz, until timestamptz, types text[], condition jsonpath
) returns void
language sql as $$
  update hookwright.raised_events r set pending = 0, pending_body = null
  where r.pending > 0 and r.tenant_id = tenant and r.raised_at >= since and r.raised_at < until
    and (types is null or r.event_type = any(types))
    and hookwright.is_to_erase(r.pending_body, condition, r.event_type)
$$;

-- Emits events, some of which end after a time: in hours, null for the others. Ends are written to a table of their
-- own, so that other emits pay nothing. All else is as in emit_traced_events.
create or replace function hookwright.emit_kept_events(
  tenant_ids bigint[], event_types text[], bodies text[], idempotency_keys text[], only_webhook_ids bigint[],
  priorities integer[], traceparents text[], ordering_keys text[], keep_hours integer[],
  type_versions integer[] default null
) returns table (item integer, event_id bigint, delivery_count integer, duplicate boolean, error_code text)
language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
#variable_conflict use_column
begin
  return query
  with emitted as materialized (
    select e.item, e.event_id, e.delivery_count, e.duplicate, e.error_code
    from hookwright.emit_traced_events(tenant_ids, event_types, bodies, idempotency_keys, only_webhook_ids, priorities,
                                       traceparents, ordering_keys, type_versions) e
  ),
  kept as (
    insert into hookwright.event_ends (tenant_id, event_id, ends_at)
    select tenant_ids[e.item + 1], e.event_id,
           clock_timestamp() + keep_hours[e.item + 1] * interval '1 hour'
    from emitted e
    where e.error_code is null and not e.duplicate and keep_hours[e.item + 1] is not null
  )
  select e.item, e.event_id, e.delivery_count, e.duplicate, e.error_code from emitted e;
end $$;

grant execute on function hookwright.erase_events, hookwright.erase_scheduled_events, hookwright.is_to_erase,
  hookwright.emit_kept_events to hookwright_api;
