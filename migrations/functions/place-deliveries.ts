/** How deliveries are written by everything but plain emits and checks (docs/decisions/0056). */
export const placeDeliveries = `
-- Writes deliveries, with the content that their webhooks have now, and jobs for those whose webhook is active. The
-- arrays have one element for each delivery.
-- - job_groups: deliveries that share a job; null: each has its own
-- - items: the index of each one's event in its call, for a claim
-- - worker_pool, claim_priority, claim_max: as in emit_events_once; null: nothing is claimed
--
-- Returns the answer of claim_new_deliveries.
create or replace function hookwright.place_deliveries(
  delivery_ids bigint[], tenant_ids bigint[], event_ids bigint[], webhook_ids bigint[], event_types text[],
  actives boolean[], job_groups bigint[], priorities integer[], due timestamptz,
  items integer[] default null, worker_pool text default null, claim_priority integer default null,
  claim_max integer default null
) returns json
language plpgsql as $$
declare
  claimed json;
begin
  if coalesce(cardinality(delivery_ids), 0) = 0 then
    return null;
  end if;
  insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status, job_group, due_at,
                                     content_id)
  select d.id, d.tenant_id, d.event_id, d.webhook_id, d.event_type,
         case when d.active then 'PENDING' else 'HELD' end::hookwright.delivery_status, d.job_group, due,
         o.content_id
  from unnest(delivery_ids, tenant_ids, event_ids, webhook_ids, event_types, actives, job_groups)
       as d(id, tenant_id, event_id, webhook_id, event_type, active, job_group)
  left join hookwright.webhook_options o on o.webhook_id = d.webhook_id;
  select case
           when worker_pool is not null and count(*) > 0
           then hookwright.claim_new_deliveries(array_agg(d.id), array_agg(d.job_group), array_agg(d.priority),
                  array_agg(d.item), array_agg(d.webhook_id), worker_pool, claim_priority, claim_max)
           when hookwright.enqueue_new_deliveries(array_agg(d.id), array_agg(d.job_group), array_agg(d.priority)) >= 0
           then null
         end
  into claimed
  from unnest(delivery_ids, actives, job_groups, priorities, items, webhook_ids)
       as d(id, active, job_group, priority, item, webhook_id)
  where d.active;
  return claimed;
end $$;
`;
