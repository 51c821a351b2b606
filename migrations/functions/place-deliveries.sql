-- How deliveries are written by everything but plain emits and checks (docs/decisions/0056).

-- Writes deliveries, with the content that their webhooks have now, and jobs for those whose webhook is active and
-- whose turn it is. The arrays have one element for each delivery.
-- - job_groups: deliveries that share a job; null: each has its own
-- - items: the index of each one's event in its call, for a claim
-- - worker_pool, claim_priority, claim_max: as in emit_events_once; null: nothing is claimed
-- - keys: deliveries with a key stand in its queue, in the order of items, and are never claimed; null: none has one
--
-- A key that another transaction has is waited for as long as the caller's transaction may. Emits of the API wait as
-- long as the setting app.key_wait says; default: a second.
--
-- Returns the answer of claim_new_deliveries.
create or replace function hookwright.place_deliveries(
  delivery_ids bigint[], tenant_ids bigint[], event_ids bigint[], webhook_ids bigint[], event_types text[],
  actives boolean[], job_groups bigint[], priorities integer[], due timestamptz,
  items integer[] default null, worker_pool text default null, claim_priority integer default null,
  claim_max integer default null, keys text[] default null
) returns json
language plpgsql as $$
declare
  heads bigint[];
  lock_timeout text := current_setting('lock_timeout');
  claimed json;
begin
  if coalesce(cardinality(delivery_ids), 0) = 0 then
    return null;
  end if;
  if exists (select from unnest(keys) key where key is not null) then
    if worker_pool is not null or hookwright.may_emit_for_all() then
      perform set_config(
        'lock_timeout', coalesce(nullif(current_setting('app.key_wait', true), ''), '1s'), true);
    end if;
    select hookwright.take_turns(
             array_agg(d.tenant_id order by d.item, d.ord), array_agg(d.webhook_id order by d.item, d.ord),
             array_agg(d.key order by d.item, d.ord), array_agg(d.id order by d.item, d.ord))
    into heads
    from unnest(tenant_ids, webhook_ids, keys, delivery_ids, items)
         with ordinality as d(tenant_id, webhook_id, key, id, item, ord);
  end if;
  insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status, job_group, due_at,
                                     content_id, ordering_key)
  select d.id, d.tenant_id, d.event_id, d.webhook_id, d.event_type,
         case when d.key is not null and h.id is null then 'WAITING' when d.active then 'PENDING' else 'HELD'
         end::hookwright.delivery_status, d.job_group, due, o.content_id, d.key
  from unnest(delivery_ids, tenant_ids, event_ids, webhook_ids, event_types, actives, job_groups, keys)
       as d(id, tenant_id, event_id, webhook_id, event_type, active, job_group, key)
  left join hookwright.webhook_options o on o.webhook_id = d.webhook_id
  left join unnest(heads) as h(id) on h.id = d.id;
  if heads is not null then
    perform hookwright.enqueue_new_deliveries(array_agg(d.id), array_agg(null::bigint), array_agg(d.priority))
    from unnest(delivery_ids, actives, priorities) as d(id, active, priority) join unnest(heads) as h(id) on h.id = d.id
    where d.active;
    perform hookwright.supersede(webhook_ids, keys);
    perform set_config('lock_timeout', lock_timeout, true);
  end if;
  select case
           when worker_pool is not null and count(*) > 0
           then hookwright.claim_new_deliveries(array_agg(d.id), array_agg(d.job_group), array_agg(d.priority),
                  array_agg(d.item), array_agg(d.webhook_id), worker_pool, claim_priority, claim_max)
           when hookwright.enqueue_new_deliveries(array_agg(d.id), array_agg(d.job_group), array_agg(d.priority)) >= 0
           then null
         end
  into claimed
  from unnest(delivery_ids, actives, job_groups, priorities, items, webhook_ids, keys)
       as d(id, active, job_group, priority, item, webhook_id, key)
  where d.active and d.key is null;
  return claimed;
end $$;
