-- Which webhooks get an event, by their filters, and in which order (docs/decisions/0056, 0058).

-- The deliveries of new events of a batch, in the order of the events. priority, event_id and others are the event's;
-- key: of the order in which the webhook gets it; null: none. path: behind the webhook's url; null: none. Raises HW012
-- as write_events_flow does.
create or replace function hookwright.match_flow(
  tenant_ids bigint[], event_types text[], bodies text[], only_webhook_ids bigint[], ids bigint[], owners bigint[],
  errors text[], priorities integer[], ordering_keys text[], previous text[], targets jsonb[]
) returns table (ord bigint, event_id bigint, tenant_id bigint, event_type text, priority integer, webhook_id bigint,
                 active boolean, key text, path text)
language plpgsql as $$
#variable_conflict use_column
begin
  return query
  with fresh as materialized (
    select i.*
    from unnest(tenant_ids, event_types, bodies, only_webhook_ids, ids, owners, errors, priorities, ordering_keys,
                previous, targets)
         with ordinality
         as i(tenant_id, event_type, body, only_webhook_id, id, owner, error, priority, ordering_key, previous, targets,
              ord)
    where i.error is null and i.owner = i.id),
  subscribed as materialized (
    select f.ord, f.id as event_id, f.tenant_id, f.event_type, f.priority, f.ordering_key, w.id as webhook_id, w.active,
           case when f.only_webhook_id is null and not w.plain then o.filter_path end as filter_path,
           o.filter_comparisons, o.filter_compiling, o.filter_changes, f.targets ->> w.id::text as path,
           case when f.only_webhook_id is null and not w.plain then o.ordering_by end as ordering_by, o.ordering_path
    from fresh f
    cross join hookwright.subscribers(f.tenant_id, f.event_type, f.only_webhook_id) w
    left join hookwright.webhook_options o on not w.plain and o.webhook_id = w.id
    where case when f.only_webhook_id is not null then true
               when f.targets is null then o.callback is not true
               else f.targets ? w.id::text and (o.callback is true) = (f.targets ->> w.id::text is not null) end
    limit 100001),
  -- A body is read as jsonb once, however many webhooks filter it, and once for all keys in it. Filters whose texts
  -- take as long to compile as a million comparisons are not asked.
  readable as materialized (
    select f.ord, case when filters.compiling <= 1000000 then hookwright.readable_body(f.body, filters.comparisons)
                  end as body
    from fresh f
    join (select ord, sum(filter_comparisons) as comparisons, coalesce(sum(filter_compiling), 0) as compiling
          from subscribed where filter_path is not null group by ord) filters on filters.ord = f.ord),
  changed as materialized (
    select f.ord, hookwright.filter_change(f.previous, r.body, filters.comparisons) as change
    from fresh f
    join readable r on r.ord = f.ord
    join (select ord, sum(filter_comparisons) as comparisons
          from subscribed where filter_path is not null and filter_changes group by ord) filters on filters.ord = f.ord
    where f.previous is not null),
  keyed as materialized (
    select f.ord, hookwright.readable_body(f.body, 0) as body
    from fresh f where f.ordering_key is null and f.ord in (
      select ord from subscribed where ordering_by = 'KEY' and ordering_path is not null))
  select s.ord, s.event_id, s.tenant_id, s.event_type, s.priority, s.webhook_id, s.active,
         case when s.ordering_by is not null
              then hookwright.ordering_key_of(s.ordering_by, s.ordering_path, s.ordering_key, k.body) end, s.path
  from subscribed s left join readable r on r.ord = s.ord left join keyed k on k.ord = s.ord
  left join changed c on s.filter_changes and c.ord = s.ord
  where (select hookwright.fits_one_call(count(*), 100000) from subscribed)
    and (s.filter_path is null or c.ord is not null and c.change is null
         or hookwright.meets_filter(r.body, s.filter_path, s.event_type,
              case when s.filter_changes then coalesce(c.change, hookwright.no_change()) end));
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
-- too few. The filter reads the type of the event as $type; and one with filter_changes reads $changed and $previous,
-- which `change` has (filter_change, no_change). It is stable, as its parts are: else Postgres would not inline it.
create or replace function hookwright.meets_filter(body jsonb, filter jsonpath, type text, change jsonb)
returns boolean
language sql stable
return body is null
       or coalesce(jsonb_path_match(body, filter, case when change is null then jsonb_build_object('type', type)
            else change || jsonb_build_object('type', type) end, silent => true), false);

-- The same for an event without a former state, where the filter may be any.
create or replace function hookwright.passes_filter(body jsonb, filter jsonpath, type text) returns boolean
language sql stable
return hookwright.meets_filter(body, filter, type, hookwright.no_change());

-- Previews, and counts of events to replay.
grant execute on function hookwright.readable_body, hookwright.passes_filter, hookwright.meets_filter to hookwright_api;
