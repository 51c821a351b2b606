-- One attempt to write events with their deliveries and jobs.

-- The core of emit_events, and of the API's batches, whose bodies and keys are checked already.
--
-- - refusals: per item the code of an error that was found before; null: none
-- - priorities: of the jobs (src/domain/pacing/lanes.ts); null: the caller has no pace of its own
-- - worker_pool: has the deliveries claimed for the workers of this name, up to the priority claim_priority, if there
--   are at most claim_max and no tenant of the batch moves. The first row's "claimed" is then the answer of
--   claim_new_deliveries
-- - ordering_keys: of the events; null: none has one
-- - type_versions, traceparents, keep_hours, previous: as in emit_events
-- - targets: as judge_targets has resolved them; null: all are for all subscribers
-- - error_code: the refusal, or TENANT_UNKNOWN, TENANT_MOVING, TENANT_ELSEWHERE, EVENT_TYPE_UNKNOWN,
--   EVENT_TYPE_RESERVED, EVENT_TYPE_DEPRECATED, WEBHOOK_NOT_ACTIVE, IDEMPOTENCY_KEY_REUSED. Such an item writes nothing
--
-- An idempotency key is kept for 7 days. One call makes at most 100,000 deliveries. A tenant's share is 500 deliveries
-- of one call (BURST in src/domain/pacing/tenant-pace.ts); without priorities it is 100 of one call and 500 in two
-- seconds of all such calls, though calls at the same time do not see each other. With a worker pool, the batch waits
-- at most 50 ms for an idempotency key that another transaction writes.
--
-- Raises HW012 for more than 100,000 deliveries; unique_violation for an id that exists already, check_violation for a
-- day without a partition, lock_not_available for a key that is being written.
create or replace function hookwright.emit_events_once(
  tenant_ids bigint[], event_types text[], bodies text[], idempotency_keys text[], only_webhook_ids bigint[],
  priorities integer[], refusals text[], worker_pool text default null, claim_priority integer default null,
  claim_max integer default null, ordering_keys text[] default null, type_versions integer[] default null,
  traceparents text[] default null, keep_hours integer[] default null, previous text[] default null,
  targets jsonb[] default null
) returns table (item integer, event_id bigint, delivery_count integer, duplicate boolean, error_code text,
                 claimed json)
language plpgsql as $$
#variable_conflict use_column
declare
  called_at timestamptz := clock_timestamp();
  ids bigint[];
  errors text[];
  owners bigint[]; -- per item: the event that its idempotency key belongs to, else its own
  uses_flow boolean; -- a tenant of the batch does
  moves boolean; -- a tenant of the batch does, so nothing of it is sent here
  made record;
begin
  select array_agg(case when problem is null then hookwright.next_id() end order by ord),
         array_agg(problem order by ord), bool_or(judged.uses_flow), bool_or(judged.moves)
  into ids, errors, uses_flow, moves
  from (
    select i.ord, t.uses_flow, t.moving is not null as moves, case
             when refusals[i.ord] is not null then refusals[i.ord]
             when t.id is null then 'TENANT_UNKNOWN'
             when t.moving = 'CLOSED' then 'TENANT_MOVING'
             when t.moving = 'GONE' then 'TENANT_ELSEWHERE'
             -- A test of a type that webhooks of the installation alone get.
             when et.name is null and (i.only_webhook_id is null or t.id <> hookwright.installation_tenant())
             then 'EVENT_TYPE_UNKNOWN'
             when et.reserved and i.only_webhook_id is null then 'EVENT_TYPE_RESERVED'
             when et.deprecated_at is not null and i.only_webhook_id is null then 'EVENT_TYPE_DEPRECATED'
             when i.only_webhook_id is not null and not exists (
               select from hookwright.webhooks w
               where w.id = i.only_webhook_id and w.tenant_id = i.tenant_id and w.active and w.deleted_at is null
             ) then 'WEBHOOK_NOT_ACTIVE' end as problem
    from unnest(tenant_ids, event_types, only_webhook_ids)
         with ordinality as i(tenant_id, event_type, only_webhook_id, ord)
    left join hookwright.tenants t on t.id = i.tenant_id and t.deleted_at is null
    left join hookwright.event_types et on et.name = i.event_type) judged;
  if moves then
    claim_max := 0;
  end if;
  owners := ids;
  if cardinality(array_remove(idempotency_keys, null)) > 0 then
    perform set_config('lock_timeout', '50ms', true) where worker_pool is not null;
    select k.owners, k.errors into owners, errors from hookwright.remember_keys(
      tenant_ids, event_types, bodies, idempotency_keys, ids, errors, ordering_keys, previous, targets) k;
  end if;
  if uses_flow or ordering_keys is not null or previous is not null or targets is not null then
    made := hookwright.write_events_flow(tenant_ids, event_types, bodies, only_webhook_ids, priorities, ids, owners,
      errors, called_at, worker_pool, claim_priority, claim_max, ordering_keys, type_versions, previous, targets);
  else
    made := hookwright.write_events_plain(tenant_ids, event_types, bodies, only_webhook_ids, priorities, ids, owners,
      errors, called_at, worker_pool, claim_priority, claim_max, null, type_versions);
  end if;
  if traceparents is not null or keep_hours is not null then
    perform hookwright.note_emits(tenant_ids, ids, owners, errors, traceparents, keep_hours);
  end if;
  return query select i.ord::integer - 1, case when i.error is null then i.owner end, case
      when i.error is not null then 0
      when i.owner = i.id then i.deliveries
      -- A repetition: of an item of this batch, which its own rows do not show yet, or of an older event.
      when i.owner = any(ids) then made.counts[array_position(ids, i.owner)]
      else hookwright.count_deliveries(i.tenant_id, i.owner) end,
    coalesce(i.error is null and i.owner <> i.id, false), i.error, case when i.ord = 1 then made.claimed end
  from unnest(tenant_ids, ids, owners, errors, made.counts)
       with ordinality as i(tenant_id, id, owner, error, deliveries, ord) order by i.ord;
end $$;

-- Writes the idempotency keys of a batch. ids: of the events, null where there is an error already.
--
-- Returns for each item the event that its key belongs to, else its own, and its error: another event has the key.
create or replace function hookwright.remember_keys(
  tenant_ids bigint[], event_types text[], bodies text[], idempotency_keys text[], ids bigint[], inout errors text[],
  ordering_keys text[], previous text[] default null, targets jsonb[] default null, out owners bigint[])
language plpgsql as $$
#variable_conflict use_column
begin
  -- A key whose event was erased stands there under another name.
  select array_agg(coalesce((
           select erased.key from hookwright.idempotency_keys erased
           where erased.tenant_id = i.tenant_id and erased.key = hookwright.erased_key(i.tenant_id, i.key)
         ), i.key) order by i.ord) into idempotency_keys
  from unnest(tenant_ids, idempotency_keys) with ordinality as i(tenant_id, key, ord);
  -- In key order, so that two batches that share keys cannot wait for each other in a ring. A key that another
  -- transaction is just writing makes us wait for its end: both answers then name one event.
  insert into hookwright.idempotency_keys as known (tenant_id, key, event_id, request_hash)
  select distinct on (i.tenant_id, i.key) i.tenant_id, i.key, i.id,
         hookwright.hash_of_emit(i.event_type, i.body, i.ordering_key, previous[i.ord], targets[i.ord])
  from unnest(tenant_ids, event_types, bodies, idempotency_keys, ids, ordering_keys)
         with ordinality as i(tenant_id, event_type, body, key, id, ordering_key, ord)
  where i.key is not null and i.id is not null and not exists (
    select from hookwright.idempotency_keys k
    where k.tenant_id = i.tenant_id and k.key = i.key and k.created_at > now() - interval '6 days 23 hours')
  order by i.tenant_id, i.key, i.ord
  on conflict (tenant_id, key) do update
    set event_id = excluded.event_id, request_hash = excluded.request_hash, created_at = now()
    where known.created_at < now() - interval '7 days';

  select array_agg(coalesce(known.event_id, i.id) order by i.ord),
         array_agg(coalesce(i.error, case
           when known.request_hash
                <> hookwright.hash_of_emit(i.event_type, i.body, i.ordering_key, previous[i.ord], targets[i.ord])
           then 'IDEMPOTENCY_KEY_REUSED' end) order by i.ord)
  into owners, errors
  from unnest(tenant_ids, event_types, bodies, idempotency_keys, ids, errors, ordering_keys)
         with ordinality as i(tenant_id, event_type, body, key, id, error, ordering_key, ord)
  left join hookwright.idempotency_keys known
    on i.id is not null and known.tenant_id = i.tenant_id and known.key = i.key;
end $$;

-- The webhooks that get an event: those that subscribe to its type, or the one that it is for. Postgres inlines it, as
-- long as it is stable and has no setting of its own.
create or replace function hookwright.subscribers(tenant bigint, type text, only_webhook bigint)
returns setof hookwright.webhooks
language sql stable as $$
  select w.* from hookwright.webhooks w
  where w.tenant_id = tenant and w.deleted_at is null
    and case when only_webhook is null
          then (w.event_types = '{*}' or type = any(w.event_types)) and (w.active or w.hold_until > now())
          else w.id = only_webhook end
$$;

-- The lane of the nth first attempt of a tenant in a call (src/domain/pacing/lanes.ts). Priority null: the caller has
-- no pace of its own, and the tenant this share.
create or replace function hookwright.lane_of(priority integer, share integer, nth bigint) returns integer
language sql immutable parallel safe
return case when coalesce(priority, 0) <> 0 then priority
            when nth > case when priority is null then share else 500 end then 10
            else 0 end;

-- Raises HW012 unless the deliveries of one call can be written within a statement's time (docs/decisions/0031).
create or replace function hookwright.fits_one_call(deliveries bigint, most integer) returns boolean
language plpgsql as $$
begin
  if deliveries > most then
    raise exception using errcode = 'HW012', detail = 'TOO_MANY_DELIVERIES',
      message = format('The events of one call may make at most %s deliveries together.', most),
      hint = 'See docs/outbox.md, "What is refused".';
  end if;
  return true;
end $$;

-- How many first attempts share a job when one transaction makes this many deliveries in one lane
-- (docs/decisions/0007).
create or replace function hookwright.job_size(deliveries bigint) returns bigint
language sql immutable parallel safe
return least(16, greatest(4, deliveries / 8));

-- How many deliveries a tenant has got in the last two seconds, counted up to most, without those of other open
-- transactions. A function, so that partitions are opened only when it is called. Returns 0 in a serializable
-- transaction, which would fail because other emits write what it reads.
create or replace function hookwright.emitted_lately(tenant bigint, most integer) returns integer
language plpgsql stable as $$
declare
  since bigint := hookwright.id_at(clock_timestamp() - interval '2 seconds');
begin
  if current_setting('transaction_isolation') = 'serializable' then
    return 0;
  end if;
  return (
    select count(*) from (
      select from hookwright.deliveries d where d.tenant_id = tenant and d.id > since limit most) lately);
end $$;

-- How many deliveries were made with an event. Their ids lie within an hour (14,745,600,000 ids) of the event's, so
-- only partitions of its day are opened. A function, so that none is opened unless an idempotency key is repeated.
create or replace function hookwright.count_deliveries(tenant bigint, event bigint) returns integer
language plpgsql stable as $$
begin
  return (
    select count(*) from hookwright.deliveries d
    where d.event_id = event and (d.tenant_id = tenant) is true
      and d.id between event - 14745600000 and event + 14745600000);
end $$;

-- The hash of an emit, which is kept with its idempotency key: a repetition has the same. Neither JSON nor a key has
-- the control characters.
create or replace function hookwright.hash_of_emit(
  event_type text, body text, ordering_key text, previous text default null, targets jsonb default null
) returns bytea
language sql stable parallel safe
return sha256(convert_to(event_type || E'\n' || body || coalesce(E'\n' || ordering_key, '')
  || coalesce(chr(1) || previous, '') || coalesce(chr(2) || targets::text, ''), 'UTF8'));

-- Writes what few events of a batch have in tables of their own, for those that were just written: where their traces
-- go on from, and when their payloads end. The arrays are as in emit_events_once.
create or replace function hookwright.note_emits(
  tenant_ids bigint[], ids bigint[], owners bigint[], errors text[], traceparents text[], keep_hours integer[]
) returns void
language sql as $$
  insert into hookwright.event_traces (event_id, tenant_id, traceparent)
  select i.id, i.tenant_id, i.traceparent
  from unnest(tenant_ids, ids, owners, errors, traceparents) as i(tenant_id, id, owner, error, traceparent)
  where i.error is null and i.owner = i.id and i.traceparent is not null
  -- After the clock was set back, an event of another tenant can have the same id: then this one is not traced.
  on conflict (event_id) do nothing;
  insert into hookwright.event_ends (tenant_id, event_id, ends_at)
  select i.tenant_id, i.id, clock_timestamp() + i.hours * interval '1 hour'
  from unnest(tenant_ids, ids, owners, errors, keep_hours) as i(tenant_id, id, owner, error, hours)
  where i.error is null and i.owner = i.id and i.hours is not null;
$$;
