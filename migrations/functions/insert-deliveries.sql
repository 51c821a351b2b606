-- How deliveries are written by everything but plain emits, lone events and checks (docs/decisions/0056).

-- Writes deliveries, with the content that their webhooks have now, and jobs for those whose webhook is active and
-- whose turn it is. The arrays have one element for each delivery.
-- - job_groups: deliveries that share a job; null: each has its own
-- - items: the index of each one's event in its call, for a claim
-- - worker_pool, claim_priority, claim_max: as in emit_events_once; null: nothing is claimed
-- - keys: deliveries with a key stand in its queue, in the order of items, and are never claimed; null: none has one
-- - may_settle: whether those of webhooks that settle wait until their key is quiet (docs/decisions/0093)
-- - paths: behind the url of the webhook; null: none has one
--
-- A key that another transaction has is waited for as long as an application's transaction may. The service waits as
-- long as the setting app.key_wait says; default: a second. Then it raises HW016.
--
-- Returns the answer of claim_new_deliveries.
create or replace function hookwright.insert_deliveries(
  delivery_ids bigint[], tenant_ids bigint[], event_ids bigint[], webhook_ids bigint[], event_types text[],
  actives boolean[], job_groups bigint[], priorities integer[], due timestamptz,
  items integer[] default null, worker_pool text default null, claim_priority integer default null,
  claim_max integer default null, keys text[] default null, may_settle boolean default true, paths text[] default null
) returns json
language plpgsql as $$
declare
  heads bigint[];
  lock_timeout text := current_setting('lock_timeout');
  is_patient boolean;
  free record;
  settling record;
begin
  if coalesce(cardinality(delivery_ids), 0) = 0 then
    return null;
  end if;
  if cardinality(array_remove(keys, null)) > 0 then
    is_patient := worker_pool is null and not hookwright.may_emit_for_all();
    select case when is_patient then hookwright.take_turns(a.tenants, a.webhooks, a.keys, a.ids)
                else hookwright.take_turns_soon(a.tenants, a.webhooks, a.keys, a.ids) end into heads
    from (
      select array_agg(d.tenant_id order by d.item, d.ord) as tenants, array_agg(d.key order by d.item, d.ord) as keys,
             array_agg(d.webhook_id order by d.item, d.ord) as webhooks, array_agg(d.id order by d.item, d.ord) as ids
      from unnest(tenant_ids, webhook_ids, keys, delivery_ids, items)
           with ordinality as d(tenant_id, webhook_id, key, id, item, ord)) a;
  end if;
  select null::bigint[] as settling_ids, null::timestamptz[] as since, null::timestamptz[] as due into settling;
  if heads is not null and may_settle and hookwright.settles(webhook_ids) then
    settling := hookwright.settle_turns(webhook_ids, keys, delivery_ids, heads);
    heads := settling.heads;
  end if;
  insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status, job_group, due_at,
                                     content_id, ordering_key, settling_since, path)
  select d.id, d.tenant_id, d.event_id, d.webhook_id, d.event_type,
         case when d.key is not null and h.id is null then 'WAITING' when d.active then 'PENDING' else 'HELD'
         end::hookwright.delivery_status, d.job_group, case when d.active and h.id = s.id then s.due_at else due end,
         o.content_id, d.key, s.since, d.path
  from unnest(delivery_ids, tenant_ids, event_ids, webhook_ids, event_types, actives, job_groups, keys, paths)
       as d(id, tenant_id, event_id, webhook_id, event_type, active, job_group, key, path)
  left join hookwright.webhook_options o on o.webhook_id = d.webhook_id
  left join unnest(heads) as h(id) on h.id = d.id
  left join unnest(settling.settling_ids, settling.since, settling.due) as s(id, since, due_at) on s.id = d.id;
  if heads is not null then
    perform hookwright.enqueue_new_deliveries(array_agg(d.id), array_agg(null::bigint), array_agg(d.priority))
    from unnest(delivery_ids, actives, priorities) as d(id, active, priority) join unnest(heads) as h(id) on h.id = d.id
    where d.active and d.id = any(settling.settling_ids) is not true;
    if settling.settling_ids is not null then
      perform hookwright.enqueue_settling_heads(
        delivery_ids, actives, priorities, heads, settling.settling_ids, settling.due);
    end if;
    perform hookwright.supersede(webhook_ids, keys);
    perform set_config('lock_timeout', lock_timeout, true);
  end if;
  select array_agg(d.id) as ids, array_agg(d.job_group) as job_groups, array_agg(d.priority) as priorities,
         array_agg(d.item) as items, array_agg(d.webhook_id) as webhook_ids into free
  from unnest(delivery_ids, actives, job_groups, priorities, items, webhook_ids, keys)
       as d(id, active, job_group, priority, item, webhook_id, key) where d.active and d.key is null;
  return hookwright.claim_new_deliveries(free.ids, free.job_groups, free.priorities, free.items, free.webhook_ids,
    worker_pool, claim_priority, claim_max);
end $$;

-- take_turns within the time that the service waits for locks, which stays set: the caller gives lock_timeout back. It
-- raises HW016 when another transaction has one of the keys for longer. Applications wait without it: a handler costs
-- each call a subtransaction.
create or replace function hookwright.take_turns_soon(
  tenant_ids bigint[], webhook_ids bigint[], keys text[], delivery_ids bigint[]
) returns bigint[]
language plpgsql as $$
begin
  perform set_config('lock_timeout', coalesce(nullif(current_setting('app.key_wait', true), ''), '1s'), true);
  return hookwright.take_turns(tenant_ids, webhook_ids, keys, delivery_ids);
exception when lock_not_available then
  raise exception using errcode = 'HW016', detail = 'ORDERING_KEY_BUSY',
    message = 'Another transaction is writing an event with one of these ordering keys.';
end $$;
