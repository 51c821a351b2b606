-- How events of tenants that filter or order are written (docs/decisions/0056, 0058).

-- The last step of emit_events_once, where a tenant of the batch uses flow (filters or order of webhooks), or an event
-- has an ordering key. Arguments and answer are those of emit_events_once, with what it has found so far: ids of the
-- new events, the owners of their idempotency keys, and errors.
create or replace function hookwright.write_flow_events(
  tenant_ids bigint[], event_types text[], bodies text[], only_webhook_ids bigint[], priorities integer[],
  ids bigint[], owners bigint[], errors text[], called_at timestamptz,
  worker_pool text, claim_priority integer, claim_max integer, ordering_keys text[]
) returns table (item integer, event_id bigint, delivery_count integer, duplicate boolean, error_code text,
                 claimed json)
language plpgsql as $$
#variable_conflict use_column
begin
  return query
  with fresh as materialized (
    select i.ord, i.id, i.tenant_id, i.event_type, i.body, i.only_webhook_id, i.priority, i.ordering_key
    from unnest(tenant_ids, event_types, bodies, only_webhook_ids, ids, owners, errors, priorities, ordering_keys)
           with ordinality
           as i(tenant_id, event_type, body, only_webhook_id, id, owner, error, priority, ordering_key, ord)
    where i.error is null and i.owner = i.id
  ),
  written as (
    insert into hookwright.events (id, tenant_id, event_type, body, only_webhook_id, ordering_key)
    select id, tenant_id, event_type, body, only_webhook_id, ordering_key from fresh
  ),
  subscribed as materialized (
    select f.ord, f.id as event_id, f.tenant_id, f.event_type, f.priority, f.ordering_key, w.id as webhook_id, w.active,
           case when f.only_webhook_id is null and not w.plain then o.filter_path end as filter_path,
           o.filter_comparisons, o.filter_compiling,
           case when f.only_webhook_id is null and not w.plain then o.ordering_by end as ordering_by, o.ordering_path
    from fresh f
    join hookwright.webhooks w on w.tenant_id = f.tenant_id and w.deleted_at is null
     and case when f.only_webhook_id is null
           then (w.event_types = '{*}' or f.event_type = any(w.event_types))
                and (w.active or w.hold_until > now())
           else w.id = f.only_webhook_id
         end
    left join hookwright.webhook_options o on not w.plain and o.webhook_id = w.id
    limit 100001
  ),
  -- A body is read as jsonb once, however many webhooks filter it, and once for all keys in it. Filters whose texts
  -- take as long to compile as a million comparisons are not asked.
  readable as materialized (
    select f.ord, case when filters.compiling <= 1000000 then hookwright.readable_body(f.body, filters.comparisons)
                  end as body
    from fresh f
    join (select ord, sum(filter_comparisons) as comparisons, coalesce(sum(filter_compiling), 0) as compiling
          from subscribed where filter_path is not null group by ord) filters on filters.ord = f.ord
  ),
  keyed as materialized (
    select f.ord, hookwright.readable_body(f.body, 0) as body
    from fresh f where f.ordering_key is null and f.ord in (
      select ord from subscribed where ordering_by = 'KEY' and ordering_path is not null)
  ),
  matched as materialized (
    select hookwright.next_id() as id, s.ord, s.event_id, s.tenant_id, s.event_type, s.priority, s.webhook_id, s.active,
           case when s.ordering_by is not null
                then hookwright.ordering_key_of(s.ordering_by, s.ordering_path, s.ordering_key, k.body) end as key
    from subscribed s left join readable r on r.ord = s.ord left join keyed k on k.ord = s.ord
    where s.filter_path is null or hookwright.passes_filter(r.body, s.filter_path, s.event_type)
  ),
  -- Deliveries beyond a tenant's share stand behind those of others (src/domain/pacing/lanes.ts).
  shares as materialized (
    select tenant_id, least(100, 500 - hookwright.emitted_lately(tenant_id, 500)) as share
    from fresh where priority is null group by tenant_id
  ),
  laned as materialized (
    select m.id, m.ord, m.event_id, m.tenant_id, m.event_type, m.webhook_id, m.active, m.key,
           case
             when coalesce(m.priority, 0) <> 0 then m.priority
             when row_number() over (partition by m.tenant_id, m.active, m.priority order by m.id)
                  > case when m.priority is null then s.share else 500 end then 10
             else 0
           end as priority
    from matched m left join shares s on s.tenant_id = m.tenant_id
    where hookwright.fits_one_call((select count(*) from subscribed), 100000)
  ),
  -- First attempts of one lane share jobs, a few each (docs/decisions/0007), unless they are ordered.
  numbered as (
    select *, (row_number() over (partition by active, priority, key is null order by id) - 1)
              / hookwright.job_size(count(*) over (partition by active, priority, key is null)) as part
    from laned
  ),
  grouped as materialized (
    select *,
           case when active and key is null and count(*) over fellows > 1 then min(id) over fellows end as job_group
    from numbered window fellows as (partition by active, priority, key is null, part)
  ),
  placed as (
    select hookwright.place_deliveries(
             array_agg(id), array_agg(tenant_id), array_agg(event_id), array_agg(webhook_id), array_agg(event_type),
             array_agg(active), array_agg(job_group), array_agg(priority), called_at,
             array_agg(ord::integer - 1), worker_pool, claim_priority, claim_max, array_agg(key)) as claimed
    from grouped
  ),
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
           when i.owner = any(ids) then (select deliveries from counted where ord = array_position(ids, i.owner))
           else hookwright.count_deliveries(tenant_ids[i.ord], i.owner)
         end,
         coalesce(i.error is null and i.owner <> i.id, false),
         i.error,
         case when i.ord = 1 then (select claimed from placed) end
  from answered i
  where (select count(*) from placed) >= 0
  order by i.ord;
end $$;

-- An event's body for filters with this many comparisons together. Null when jsonb cannot have it, such as one with an
-- escaped NUL or half of a surrogate pair, which JSON allows. Also null when it has so many values that the comparisons
-- would take long, and a lot of memory: a million take a tenth of a second and 50 MB.
create or replace function hookwright.readable_body(body text, comparisons bigint) returns jsonb
language plpgsql immutable as $$
begin
  -- About as many values: each of an array but the first has a comma before it, and long texts take longer.
  if comparisons * (1 + length(body) / 256 + length(body) - length(replace(body, ',', ''))) > 1000000 then
    return null;
  end if;
  return body::jsonb;
exception when data_exception or program_limit_exceeded then
  return null;
end $$;

-- Whether an event passes a webhook's filter. One whose body jsonb cannot have does: one too many is better than one
-- too few. The filter reads the type of the event as $type.
create or replace function hookwright.passes_filter(body jsonb, filter jsonpath, type text) returns boolean
language sql immutable
return body is null
       or coalesce(jsonb_path_match(body, filter, jsonb_build_object('type', type), silent => true), false);

-- Previews, and counts of events to replay.
grant execute on function hookwright.readable_body, hookwright.passes_filter to hookwright_api;
