-- One attempt to write events with their deliveries and jobs.

-- The core of emit_events, and of the API's batches, whose bodies and keys are checked already.
--
-- - refusals: per item the code of an error that was found before; null: none
-- - priorities: of the jobs (src/domain/pacing/lanes.ts); null: the caller has no pace of its own
-- - worker_pool: has the deliveries claimed for the workers of this name, up to the priority claim_priority, if there
--   are at most claim_max. The first row's "claimed" is then the answer of claim_new_deliveries
-- - ordering_keys: of the events; null: none has one
-- - error_code: the refusal, or TENANT_UNKNOWN, EVENT_TYPE_UNKNOWN, EVENT_TYPE_RESERVED, EVENT_TYPE_DEPRECATED,
--   WEBHOOK_NOT_ACTIVE, IDEMPOTENCY_KEY_REUSED. Such an item writes nothing
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
  priorities integer[], refusals text[], worker_pool text default null,
  claim_priority integer default null, claim_max integer default null, ordering_keys text[] default null
) returns table (item integer, event_id bigint, delivery_count integer, duplicate boolean, error_code text,
                 claimed json)
language plpgsql as $$
#variable_conflict use_column
declare
  ids bigint[];
  errors text[];
  owners bigint[];   -- per item: the event that its idempotency key belongs to, else its own
  uses_flow boolean; -- a tenant of the batch does
  called_at timestamptz := clock_timestamp();
begin
  select array_agg(case when problem is null then hookwright.next_id() end order by ord),
         array_agg(problem order by ord), bool_or(judged.uses_flow)
  into ids, errors, uses_flow
  from (
    select i.ord, t.uses_flow,
           case
             when refusals[i.ord] is not null then refusals[i.ord]
             when t.id is null then 'TENANT_UNKNOWN'
             when et.name is null then 'EVENT_TYPE_UNKNOWN'
             when et.reserved and i.only_webhook_id is null then 'EVENT_TYPE_RESERVED'
             when et.deprecated_at is not null and i.only_webhook_id is null then 'EVENT_TYPE_DEPRECATED'
             when i.only_webhook_id is not null and not exists (
               select from hookwright.webhooks w
               where w.id = i.only_webhook_id and w.tenant_id = i.tenant_id and w.active and w.deleted_at is null
             ) then 'WEBHOOK_NOT_ACTIVE'
           end as problem
    from unnest(tenant_ids, event_types, only_webhook_ids)
           with ordinality as i(tenant_id, event_type, only_webhook_id, ord)
    left join hookwright.tenants t on t.id = i.tenant_id and t.deleted_at is null
    left join hookwright.event_types et on et.name = i.event_type
  ) judged;
  owners := ids;

  if exists (select from unnest(idempotency_keys) k where k is not null) then
    if worker_pool is not null then
      perform set_config('lock_timeout', '50ms', true);
    end if;
    -- In key order, so that two batches that share keys cannot wait for each other in a ring. A key that
    -- another transaction is just writing makes us wait for its end: both answers then name one event.
    insert into hookwright.idempotency_keys as known (tenant_id, key, event_id, request_hash)
    select distinct on (i.tenant_id, i.key) i.tenant_id, i.key, i.id,
           hookwright.hash_of_emit(i.event_type, i.body, i.ordering_key)
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
             when known.request_hash <> hookwright.hash_of_emit(i.event_type, i.body, i.ordering_key)
             then 'IDEMPOTENCY_KEY_REUSED' end) order by i.ord)
    into owners, errors
    from unnest(tenant_ids, event_types, bodies, idempotency_keys, ids, errors, ordering_keys)
           with ordinality as i(tenant_id, event_type, body, key, id, error, ordering_key, ord)
    left join hookwright.idempotency_keys known
      on i.id is not null and known.tenant_id = i.tenant_id and known.key = i.key;
  end if;

  if uses_flow or ordering_keys is not null then
    return query select * from hookwright.write_flow_events(
      tenant_ids, event_types, bodies, only_webhook_ids, priorities, ids, owners, errors, called_at,
      worker_pool, claim_priority, claim_max, ordering_keys);
    return;
  end if;

  -- write_flow_events is the same for webhooks that are not plain. A test compares what the two write.
  return query
  with fresh as materialized (
    select i.ord, i.id, i.tenant_id, i.event_type, i.body, i.only_webhook_id, i.priority
    from unnest(tenant_ids, event_types, bodies, only_webhook_ids, ids, owners, errors, priorities)
           with ordinality
           as i(tenant_id, event_type, body, only_webhook_id, id, owner, error, priority, ord)
    where i.error is null and i.owner = i.id
  ),
  written as (
    insert into hookwright.events (id, tenant_id, event_type, body, only_webhook_id)
    select id, tenant_id, event_type, body, only_webhook_id from fresh
  ),
  matched as materialized (
    select hookwright.next_id() as id, f.ord, f.id as event_id, f.tenant_id, f.event_type, f.priority,
           w.id as webhook_id, w.active
    from fresh f
    join hookwright.webhooks w on w.tenant_id = f.tenant_id and w.deleted_at is null
     and case when f.only_webhook_id is null
           then (w.event_types = '{*}' or f.event_type = any(w.event_types))
                and (w.active or w.hold_until > now())
           else w.id = f.only_webhook_id
         end
    limit 100001
  ),
  -- Deliveries beyond a tenant's share stand behind those of others (src/domain/pacing/lanes.ts).
  shares as materialized (
    select tenant_id, least(100, 500 - hookwright.emitted_lately(tenant_id, 500)) as share
    from fresh where priority is null group by tenant_id
  ),
  laned as materialized (
    select m.id, m.ord, m.event_id, m.tenant_id, m.event_type, m.webhook_id, m.active,
           case
             when coalesce(m.priority, 0) <> 0 then m.priority
             when row_number() over (partition by m.tenant_id, m.active, m.priority order by m.id)
                  > case when m.priority is null then s.share else 500 end then 10
             else 0
           end as priority
    from matched m left join shares s on s.tenant_id = m.tenant_id
    where hookwright.fits_one_call((select count(*) from matched), 100000)
  ),
  -- First attempts of one lane share jobs, a few each (docs/decisions/0007).
  numbered as (
    select *, (row_number() over (partition by active, priority order by id) - 1)
              / hookwright.job_size(count(*) over (partition by active, priority)) as part
    from laned
  ),
  grouped as materialized (
    select *,
           case when active and count(*) over fellows > 1 then min(id) over fellows end as job_group
    from numbered window fellows as (partition by active, priority, part)
  ),
  fanned_out as (
    insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status, job_group,
                                       due_at)
    select id, tenant_id, event_id, webhook_id, event_type,
           case when active then 'PENDING' else 'HELD' end::hookwright.delivery_status, job_group, called_at
    from grouped
  ),
  queued as (
    select case
             when worker_pool is not null and count(*) > 0
             then hookwright.claim_new_deliveries(array_agg(id), array_agg(job_group), array_agg(priority),
                    array_agg(ord::integer - 1), array_agg(webhook_id), worker_pool, claim_priority, claim_max)
             when hookwright.enqueue_new_deliveries(array_agg(id), array_agg(job_group), array_agg(priority)) >= 0
             then null
           end as claimed
    from grouped where active
  ),
  -- Counted without a join: one of a few hundred items with as many deliveries would go through all pairs.
  counted as (
    select ord, count(*)::integer - 1 as deliveries
    from (select ord from matched union all select generate_series(1, cardinality(ids))) items group by ord
  ),
  answered as (
    select ord, ids[ord] as id, owners[ord] as owner, errors[ord] as error, deliveries from counted
  )
  select i.ord::integer - 1,
         case when i.error is null then i.owner end,
         case
           when i.error is not null then 0
           when i.owner = i.id then i.deliveries
           -- A repetition: of an item of this batch, which its own rows do not show yet, or of an older event.
           when i.owner = any(ids) then (select deliveries from counted where ord = array_position(ids, i.owner))
           else hookwright.count_deliveries(tenant_ids[i.ord], i.owner)
         end,
         coalesce(i.error is null and i.owner <> i.id, false),
         i.error,
         case when i.ord = 1 then (select claimed from queued) end
  from answered i
  where (select count(*) from queued) >= 0
  order by i.ord;
end $$;

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

-- What an idempotency key is remembered with.
create or replace function hookwright.hash_of_emit(event_type text, body text, ordering_key text) returns bytea
language sql stable parallel safe
return sha256(convert_to(event_type || E'\n' || body || coalesce(E'\n' || ordering_key, ''), 'UTF8'));
