/**
 * `hookwright.emit_events` as the outbox door needs it (0008-outbox.ts): emit_events_once of 0003 with two refusals
 * more, and around it the checks of what no API has judged. An emit of the API pays 5 µs for them.
 */
export const emitEvents = String.raw`
  drop function hookwright.emit_events(bigint[], text[], text[], text[], bigint[], integer[]);
  drop function hookwright.emit_events_once(bigint[], text[], text[], text[], bigint[], integer[]);

  -- As before, with deprecated types refused, and the refusals of judge_emits, which are null where it was not asked.
  create function hookwright.emit_events_once(
    tenant_ids bigint[], event_types text[], bodies text[], idempotency_keys text[], only_webhook_ids bigint[],
    priorities integer[], refusals text[]
  ) returns table (item integer, event_id bigint, delivery_count integer, duplicate boolean, error_code text)
  language plpgsql as $$
  #variable_conflict use_column
  declare
    ids bigint[];
    errors text[];
    owners bigint[];   -- per item: the event that its idempotency key belongs to, else its own
  begin
    select array_agg(case when problem is null then hookwright.next_id() end order by ord),
           array_agg(problem order by ord)
    into ids, errors
    from (
      select i.ord,
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
      left join hookwright.tenants t on t.id = i.tenant_id
      left join hookwright.event_types et on et.name = i.event_type
    ) judged;
    owners := ids;

    if exists (select from unnest(idempotency_keys) k where k is not null) then
      -- In key order, so that two batches that share keys cannot wait for each other in a ring. A key that
      -- another transaction is just writing makes us wait for its end: both answers then name one event.
      insert into hookwright.idempotency_keys as known (tenant_id, key, event_id, request_hash)
      select distinct on (i.tenant_id, i.key) i.tenant_id, i.key, i.id,
             sha256(convert_to(i.event_type || E'\n' || i.body, 'UTF8'))
      from unnest(tenant_ids, event_types, bodies, idempotency_keys, ids)
             with ordinality as i(tenant_id, event_type, body, key, id, ord)
      where i.key is not null and i.id is not null
      order by i.tenant_id, i.key, i.ord
      on conflict (tenant_id, key) do update
        set event_id = excluded.event_id, request_hash = excluded.request_hash, created_at = now()
        where known.created_at < now() - interval '7 days';

      select array_agg(coalesce(known.event_id, i.id) order by i.ord),
             array_agg(coalesce(i.error, case
               when known.request_hash <> sha256(convert_to(i.event_type || E'\n' || i.body, 'UTF8'))
               then 'IDEMPOTENCY_KEY_REUSED' end) order by i.ord)
      into owners, errors
      from unnest(tenant_ids, event_types, bodies, idempotency_keys, ids, errors)
             with ordinality as i(tenant_id, event_type, body, key, id, error, ord)
      left join hookwright.idempotency_keys known
        on i.id is not null and known.tenant_id = i.tenant_id and known.key = i.key;
    end if;

    return query
    with fresh as materialized (
      select i.ord, i.id, i.tenant_id, i.event_type, i.body, i.only_webhook_id, coalesce(i.priority, 0) as priority
      from unnest(tenant_ids, event_types, bodies, only_webhook_ids, ids, owners, errors, priorities)
             with ordinality
             as i(tenant_id, event_type, body, only_webhook_id, id, owner, error, priority, ord)
      where i.error is null and i.owner = i.id
    ),
    written as (
      insert into hookwright.events (id, tenant_id, event_type, body)
      select id, tenant_id, event_type, body from fresh
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
    ),
    -- First attempts of one lane share jobs, a few each (docs/decisions/0007).
    numbered as (
      select *, (row_number() over (partition by active, priority order by id) - 1) / 4 as part from matched
    ),
    grouped as materialized (
      select *,
             case when active and count(*) over fellows > 1 then min(id) over fellows end as job_group
      from numbered window fellows as (partition by active, priority, part)
    ),
    fanned_out as (
      insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status, job_group)
      select id, tenant_id, event_id, webhook_id, event_type,
             case when active then 'PENDING' else 'HELD' end::hookwright.delivery_status, job_group
      from grouped
    ),
    queued as (
      select hookwright.enqueue_new_deliveries(array_agg(id), array_agg(job_group), array_agg(priority))
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
             else hookwright.count_deliveries(i.owner)
           end,
           coalesce(i.error is null and i.owner <> i.id, false),
           i.error
    from answered i
    where (select count(*) from queued) >= 0
    order by i.ord;
  end $$;

  ${emitEventsAgain()}
`;

/** What later migrations have changed in `emit_events`: PL/pgSQL for each of these places. */
export interface EmitEventsAgain {
  declarations: string;
  before: string;
  after: string;
  handler: string;
  /** What is taken from the judgement `j` of judge_emits, where that is more than the refusals. */
  judgement?: string;
  /** What emit_events_once gets as priorities, where that is not 0 for a caller who gives none. */
  priorities?: string;
}

/** SQL that makes `emit_events`, or takes its place. */
export function emitEventsAgain(
  changes: EmitEventsAgain = { declarations: '', before: '', after: '', handler: '' },
): string {
  const judgement = changes.judgement ?? 'select j.refusals, j.details into refusals, details';
  const priorities =
    changes.priorities ?? 'coalesce(priorities, array_fill(0, array[cardinality(event_types)]))';
  return `
  -- schema_checked: the caller says that the bodies are valid by the schemas of their types. The API's word counts
  -- for everything that judge_emits looks at; another role's only for the schemas that SQL cannot check.
  -- error_code: those of emit_events_once and of judge_emits. An item with an error writes nothing.
  --
  -- Two ids can meet when the clock is set back, and a day's partition can be missing when no daemon has run
  -- for two weeks. Neither may cost the caller an event: take new ids, or make the partition, and go again.
  create or replace function hookwright.emit_events(
    tenant_ids bigint[], event_types text[], bodies text[], idempotency_keys text[] default null,
    only_webhook_ids bigint[] default null, priorities integer[] default null,
    schema_checked boolean default false
  ) returns table (item integer, event_id bigint, delivery_count integer, duplicate boolean, error_code text,
                   error_detail text)
  language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp
  -- Planning takes twice as long as running it, and no arguments make another plan better.
  set plan_cache_mode = force_generic_plan as $$
  declare
    -- Only a member can have set the role; asking that first saves the API's emits a look-up.
    restricted boolean := not (current_setting('role') = 'hookwright_api'
                               or pg_has_role(session_user, 'hookwright_api', 'member'));
    refusals text[];
    details text[];
    tries integer := 0;
    violated text;
    ${changes.declarations}
  begin
    if restricted or schema_checked is distinct from true then
      perform hookwright.require_arguments(
        tenant_ids, event_types, bodies, idempotency_keys, only_webhook_ids, priorities, restricted);
      ${judgement}
      from hookwright.judge_emits(
        tenant_ids, event_types, bodies,
        coalesce(idempotency_keys, array_fill(null::text, array[cardinality(event_types)])),
        restricted, schema_checked is true) j;
    end if;
    loop
      begin
        ${changes.before}
        return query select e.item, e.event_id, e.delivery_count, e.duplicate, e.error_code,
            case when e.error_code is not null
              then coalesce(details[e.item + 1], (hookwright.refusal(e.error_code)).sentence) end
          from hookwright.emit_events_once(
            tenant_ids, event_types, bodies,
            coalesce(idempotency_keys, array_fill(null::text, array[cardinality(event_types)])),
            coalesce(only_webhook_ids, array_fill(null::bigint, array[cardinality(event_types)])),
            ${priorities},
            refusals) e;
        ${changes.after}
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
        ${changes.handler}
      end;
      tries := tries + 1;
    end loop;
  end $$;`;
}
