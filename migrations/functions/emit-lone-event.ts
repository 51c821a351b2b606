/**
 * `emit_events_once` with a worker pool, for one event without an idempotency key that has one delivery: the usual
 * case, for which the statements over sets would take half of an emit's time in Postgres before the first row is
 * written. An event that has another number of deliveries, that cannot be claimed or that must be refused is left to
 * `emit_events_once`.
 */
export const emitLoneEvent = `
create or replace function hookwright.emit_lone_event(
  tenant bigint, type text, event_body text, lane integer,
  worker_pool text, claim_priority integer, claim_max integer
) returns table (event_id bigint, delivery_count integer, duplicate boolean, error_code text, claimed json)
language plpgsql as $$
#variable_conflict use_column
declare
  matched record;
  event bigint;
  delivery bigint;
  job bigint;
begin
  select w.*, task.id as task_id, count(*) over () as webhooks into matched
  from hookwright.tenants t
  join hookwright.event_types et on et.name = type and not et.reserved and et.deprecated_at is null
  join hookwright.webhooks w on w.tenant_id = t.id and w.deleted_at is null
   and (w.event_types = '{*}' or type = any(w.event_types)) and (w.active or w.hold_until > now())
  join hookwright_jobs._private_tasks task on task.identifier = 'deliver'
  where t.id = tenant and t.deleted_at is null
  limit 1;
  if not (matched.webhooks = 1 and matched.active and matched.previous_sealed_secret is null
          and (greatest(matched.closed_until, matched.next_probe_at) > now()) is not true
          and lane <= claim_priority and claim_max >= 1) is true then
    return query
      select e.event_id, e.delivery_count, e.duplicate, e.error_code, e.claimed
      from hookwright.emit_events_once(
        array[tenant], array[type], array[event_body], array[null::text], array[null::bigint], array[lane], null,
        worker_pool, claim_priority, claim_max) e;
    return;
  end if;
  event := hookwright.next_id();
  insert into hookwright.events (id, tenant_id, event_type, body) values (event, tenant, type, event_body);
  delivery := hookwright.next_id();
  insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status, due_at)
  values (delivery, tenant, event, matched.id, type, 'PENDING', clock_timestamp());
  insert into hookwright_jobs._private_jobs
    (task_id, payload, max_attempts, key, priority, attempts, locked_by, locked_at)
  values (matched.task_id, json_build_object('id', delivery, 'attempt', 1), 25, 'd:' || delivery, lane, 1,
          worker_pool, now())
  returning id into job;
  return query
    select event, 1, false, null::text, json_build_object(
      'jobs', json_build_array(json_build_array(job, json_build_object('id', delivery, 'attempt', 1), lane)),
      'deliveries', json_build_array(json_build_array(delivery, 0, matched.id)),
      'webhooks', json_build_array(json_build_array(
        matched.id, matched.url, encode(matched.sealed_secret, 'base64'), matched.generation,
        matched.consecutive_failures)));
end $$;

revoke execute on function hookwright.emit_lone_event from public;
`;
