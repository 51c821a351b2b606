/** What migrations have changed in `emit_events_once`, as SQL. */
export interface EmitEventsOnce {
  /** Into jobs of how many deliveries the rows of `matched` of one lane are put. */
  jobSize: string;
  /** Statements that come before the idempotency keys are written, where there are any. */
  beforeKeys?: string;
  /** One more condition on the items `i` whose keys are written. */
  keysToWrite?: string;
  /** One more condition on the tenants `t` that there are. */
  tenants?: string;
  /** More variables. */
  declarations?: string;
  /** When deliveries are due; without it, when the transaction began. */
  dueAt?: string;
  /**
   * How many deliveries one call may make, and how many of a tenant do not stand in the crowded lane: of one call, less
   * of a caller who gives no priorities, because it has no pace of its own, and in two seconds of all such calls.
   */
  bounds?: { deliveriesMax: number; share: number; shareOfUnpaced: number };
}

/**
 * The function that writes events with their deliveries and jobs, as it is since 0016. SQL that makes it or takes its
 * place.
 */
export const emitEventsOnce = ({
  jobSize,
  beforeKeys = '',
  keysToWrite = '',
  tenants = '',
  declarations = '',
  dueAt = '',
  bounds,
}: EmitEventsOnce) => String.raw`
  -- With a worker pool, deliveries are claimed for it, and the first row's 'claimed' is the answer of
  -- claim_new_deliveries. For the rest see emit-events.ts.
  create or replace function hookwright.emit_events_once(
    tenant_ids bigint[], event_types text[], bodies text[], idempotency_keys text[], only_webhook_ids bigint[],
    priorities integer[], refusals text[], worker_pool text default null,
    claim_priority integer default null, claim_max integer default null
  ) returns table (item integer, event_id bigint, delivery_count integer, duplicate boolean, error_code text,
                   claimed json)
  language plpgsql as $$
  #variable_conflict use_column
  declare
    ids bigint[];
    errors text[];
    owners bigint[];   -- per item: the event that its idempotency key belongs to, else its own
    ${declarations}
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
      left join hookwright.tenants t on t.id = i.tenant_id ${tenants}
      left join hookwright.event_types et on et.name = i.event_type
    ) judged;
    owners := ids;

    if exists (select from unnest(idempotency_keys) k where k is not null) then
      ${beforeKeys}
      -- In key order, so that two batches that share keys cannot wait for each other in a ring. A key that
      -- another transaction is just writing makes us wait for its end: both answers then name one event.
      insert into hookwright.idempotency_keys as known (tenant_id, key, event_id, request_hash)
      select distinct on (i.tenant_id, i.key) i.tenant_id, i.key, i.id,
             sha256(convert_to(i.event_type || E'\n' || i.body, 'UTF8'))
      from unnest(tenant_ids, event_types, bodies, idempotency_keys, ids)
             with ordinality as i(tenant_id, event_type, body, key, id, ord)
      where i.key is not null and i.id is not null ${keysToWrite}
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
      select i.ord, i.id, i.tenant_id, i.event_type, i.body, i.only_webhook_id,
             ${bounds ? 'i.priority' : 'coalesce(i.priority, 0) as priority'}
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
      ${bounds ? `limit ${bounds.deliveriesMax + 1}` : ''}
    ),
    ${bounds ? laned(bounds) : ''}
    -- First attempts of one lane share jobs, a few each (docs/decisions/0007).
    numbered as (
      select *, (row_number() over (partition by active, priority order by id) - 1) / ${jobSize} as part
      from ${bounds ? 'laned' : 'matched'}
    ),
    grouped as materialized (
      select *,
             case when active and count(*) over fellows > 1 then min(id) over fellows end as job_group
      from numbered window fellows as (partition by active, priority, part)
    ),
    fanned_out as (
      insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status, job_group
                                         ${dueAt && ', due_at'})
      select id, tenant_id, event_id, webhook_id, event_type,
             case when active then 'PENDING' else 'HELD' end::hookwright.delivery_status, job_group
             ${dueAt && `, ${dueAt}`}
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
             else hookwright.count_deliveries(i.owner)
           end,
           coalesce(i.error is null and i.owner <> i.id, false),
           i.error,
           case when i.ord = 1 then (select claimed from queued) end
    from answered i
    where (select count(*) from queued) >= 0
    order by i.ord;
  end $$;`;

const laned = ({ deliveriesMax, share, shareOfUnpaced }: NonNullable<EmitEventsOnce['bounds']>) => `
    -- What is beyond a tenant's share stands behind others', from the first delivery on (src/domain/lanes.ts).
    shares as materialized (
      select tenant_id, least(${shareOfUnpaced}, ${share} - hookwright.emitted_lately(tenant_id, ${share})) as share
      from fresh where priority is null group by tenant_id
    ),
    laned as materialized (
      select m.id, m.ord, m.event_id, m.tenant_id, m.event_type, m.webhook_id, m.active,
             case
               when coalesce(m.priority, 0) <> 0 then m.priority
               when row_number() over (partition by m.tenant_id, m.active, m.priority order by m.id)
                    > case when m.priority is null then s.share else ${share} end then 10
               else 0
             end as priority
      from matched m left join shares s on s.tenant_id = m.tenant_id
      where hookwright.fits_one_call((select count(*) from matched), ${deliveriesMax})
    ),`;
