-- How an emit writes its events and deliveries. The text is printed twice (migrations/functions.ts): for batches in
-- which no tenant uses flow and no event has an ordering key (plain), which pay for nothing of it; and for others
-- (flow). "only" marks lines of one of them. A test compares what the two write (docs/decisions/0056).

-- The last step of emit_events_once, whose arguments these are, with what it has found so far: ids of the new events,
-- the owners of their idempotency keys, and errors. Other ways to write an event are emit_lone_event, check_webhook and
-- write_operational_event.
--
-- Returns how many deliveries each event has, and the answer of claim_new_deliveries.
create or replace function hookwright.write_events_{{way}}(
  tenant_ids bigint[], event_types text[], bodies text[], only_webhook_ids bigint[], priorities integer[],
  ids bigint[], owners bigint[], errors text[], called_at timestamptz, worker_pool text, claim_priority integer,
  claim_max integer, ordering_keys text[], type_versions integer[],
  previous text[], targets jsonb[], -- only flow
  out counts integer[], out claimed json)
language plpgsql as $$
#variable_conflict use_column
begin
  with fresh as materialized (
    select i.*
    from unnest(tenant_ids, event_types, bodies, only_webhook_ids, ids, owners, errors, priorities, ordering_keys)
         with ordinality
         as i(tenant_id, event_type, body, only_webhook_id, id, owner, error, priority, ordering_key, ord)
    where i.error is null and i.owner = i.id),
  written as (
    insert into hookwright.events (id, tenant_id, event_type, body, only_webhook_id, ordering_key, -- only plain
                                   type_version) -- only plain
    select id, tenant_id, event_type, body, only_webhook_id, ordering_key, type_versions[ord] from fresh), -- only plain
    insert into hookwright.events (id, tenant_id, event_type, body, only_webhook_id, ordering_key, -- only flow
                                   type_version, previous, targets) -- only flow
    select id, tenant_id, event_type, body, only_webhook_id, ordering_key, type_versions[ord], -- only flow
           previous[ord], -- only flow
           case when targets[ord] is not null -- only flow
             then array(select key::bigint from jsonb_object_keys(targets[ord]) key) end -- only flow
    from fresh), -- only flow
  matched as materialized (
    select hookwright.next_id() as id, f.ord, f.id as event_id, f.tenant_id, f.event_type, -- only plain
           f.priority, w.id as webhook_id, w.active -- only plain
    from fresh f, hookwright.subscribers(f.tenant_id, f.event_type, f.only_webhook_id) w -- only plain
    limit 100001), -- only plain
    select hookwright.next_id() as id, m.* -- only flow
    from hookwright.match_flow(tenant_ids, event_types, bodies, only_webhook_ids, ids, -- only flow
                               owners, errors, priorities, ordering_keys, previous, targets) m), -- only flow
  -- Deliveries beyond a tenant's share stand behind those of others (src/domain/pacing/lanes.ts).
  shares as materialized (
    select tenant_id, least(100, 500 - hookwright.emitted_lately(tenant_id, 500)) as share
    from fresh where priority is null group by tenant_id),
  laned as materialized (
    select m.*, hookwright.lane_of(m.priority, s.share, row_number() over (
             partition by m.tenant_id, m.active, m.priority order by m.id)) as lane
    from matched m left join shares s on s.tenant_id = m.tenant_id
    where (select hookwright.fits_one_call(count(*), 100000) from matched)),
  -- First attempts of one lane share jobs, a few each (docs/decisions/0007), unless they are ordered.
  numbered as (
    select *, (row_number() over (mates order by id) - 1) / hookwright.job_size(count(*) over mates) as part
    from laned window mates as (partition by active, lane)), -- only plain
    from laned window mates as (partition by active, lane, key is null)), -- only flow
  grouped as materialized (
    select *, case when active and count(*) over fellows > 1 then min(id) over fellows end as job_group -- only plain
    from numbered window fellows as (partition by active, lane, part)), -- only plain
    select *, case when active and key is null and count(*) over fellows > 1 -- only flow
                then min(id) over fellows end as job_group -- only flow
    from numbered window fellows as (partition by active, lane, key is null, part)), -- only flow
  fanned_out as ( -- only plain
    insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status, job_group, -- only plain
                                       due_at) -- only plain
    select id, tenant_id, event_id, webhook_id, event_type, -- only plain
           case when active then 'PENDING' else 'HELD' end::hookwright.delivery_status, -- only plain
           job_group, called_at -- only plain
    from grouped), -- only plain
  queued as (
    select hookwright.claim_new_deliveries(array_agg(id), array_agg(job_group), array_agg(lane), -- only plain
             array_agg(ord::integer - 1), array_agg(webhook_id), -- only plain
             worker_pool, claim_priority, claim_max) as claimed -- only plain
    from grouped where active), -- only plain
    select hookwright.insert_deliveries( -- only flow
             array_agg(id), array_agg(tenant_id), array_agg(event_id), array_agg(webhook_id), -- only flow
             array_agg(event_type), array_agg(active), array_agg(job_group), array_agg(lane), called_at, -- only flow
             array_agg(ord::integer - 1), worker_pool, claim_priority, claim_max, -- only flow
             array_agg(key), paths => array_agg(path)) as claimed -- only flow
    from grouped), -- only flow
  -- Without a join: one of a few hundred items with as many deliveries would go through all pairs.
  counted as (
    select ord, count(*)::integer - 1 as deliveries
    from (select ord from matched union all select generate_series(1, cardinality(ids))) items group by ord)
  select array_agg(deliveries order by ord), (select q.claimed from queued q) into counts, claimed from counted;
end $$;
