-- Jobs for first attempts, and their claims for the daemon of the same process (docs/decisions/0018).

-- Adds jobs for first attempts of deliveries that the same transaction has written, and returns the number of
-- deliveries. No job names them yet, so nothing is replaced or locked. Deliveries of one group share a job.
create or replace function hookwright.enqueue_new_deliveries(
  delivery_ids bigint[], job_groups bigint[], priorities integer[]
) returns integer
language plpgsql as $$
declare
  single_task integer := (select id from hookwright_jobs._private_tasks where identifier = 'deliver');
  group_task integer := (select id from hookwright_jobs._private_tasks where identifier = 'deliver-group');
begin
  if coalesce(cardinality(delivery_ids), 0) = 0 then
    return 0;
  end if;
  insert into hookwright_jobs._private_jobs (task_id, payload, max_attempts, key, priority)
  select case when job_group is null then single_task else group_task end,
         case when job_group is null then json_build_object('id', min(id), 'attempt', 1)
              else json_build_object('group', job_group, 'ids', json_agg(id order by id)) end,
         25, coalesce('g:' || job_group, 'd:' || min(id)), min(priority)
  from unnest(delivery_ids, job_groups, priorities) as due(id, job_group, priority)
  group by job_group, case when job_group is null then id end;
  perform pg_notify('jobs:insert', json_build_object('r', random(), 'count', cardinality(delivery_ids))::text);
  return cardinality(delivery_ids);
end $$;

-- A webhook as the daemon must know it to send to it: its id, and the fields of WebhookToSend
-- (src/operations/attempts/webhook-to-send.ts). A test compares them. JSON has no bytes: secrets are in base64.
create or replace function hookwright.webhook_to_send(w hookwright.webhooks) returns json
language sql stable as $$
  select json_build_object(
    'webhookId', w.id,
    'url', w.url,
    'sealedSecret', encode(w.sealed_secret, 'base64'),
    'optionsVersion', w.options_version,
    'generation', w.generation,
    'failuresAtLoad', w.consecutive_failures)
$$;

-- enqueue_new_deliveries with jobs, up to a priority, that a worker pool has locked from the start, as
-- graphile-worker's fetch locks them, if there are at most claim_max such deliveries. No notice is sent for these.
--
-- Returns what the pool needs to make the attempts; null when nothing was claimed:
-- - jobs: [id, payload, priority], …
-- - deliveries: [id, index of the item, webhook's id], …
-- - webhooks: webhook_to_send, …
-- Webhooks that nothing may be sent to now are left out, and so are those with a
-- previous secret (whether it still signs is checked when a delivery is loaded) and those that are not plain: their
-- deliveries are loaded.
-- Without a worker pool nothing is claimed.
create or replace function hookwright.claim_new_deliveries(
  delivery_ids bigint[], job_groups bigint[], priorities integer[], items integer[], webhook_ids bigint[],
  worker_pool text, claim_priority integer, claim_max integer
) returns json
language plpgsql as $$
declare
  claimable integer := (select count(*) from unnest(priorities) p where p <= claim_priority);
  single_task integer;
  group_task integer;
  claimed json;
begin
  if claimable not between 1 and claim_max then
    perform hookwright.enqueue_new_deliveries(delivery_ids, job_groups, priorities);
    return null;
  end if;
  single_task := (select id from hookwright_jobs._private_tasks where identifier = 'deliver');
  group_task := (select id from hookwright_jobs._private_tasks where identifier = 'deliver-group');
  with added as (
    insert into hookwright_jobs._private_jobs
      (task_id, payload, max_attempts, key, priority, attempts, locked_by, locked_at)
    select case when job_group is null then single_task else group_task end,
           case when job_group is null then json_build_object('id', min(id), 'attempt', 1)
                else json_build_object('group', job_group, 'ids', json_agg(id order by id)) end,
           25, coalesce('g:' || job_group, 'd:' || min(id)), min(priority), (min(priority) <= claim_priority)::integer,
           case when min(priority) <= claim_priority then worker_pool end,
           case when min(priority) <= claim_priority then now() end
    from unnest(delivery_ids, job_groups, priorities) as due(id, job_group, priority)
    group by job_group, case when job_group is null then id end
    returning id, payload, priority
  )
  select json_build_object(
    'jobs', (
      select json_agg(json_build_array(id, payload, priority)) from added where priority <= claim_priority),
    'deliveries', (
      select json_agg(json_build_array(d.id, d.item, d.webhook_id))
      from unnest(delivery_ids, items, webhook_ids, priorities) as d(id, item, webhook_id, priority)
      where priority <= claim_priority),
    'webhooks', coalesce((
      select json_agg(hookwright.webhook_to_send(w))
      from hookwright.webhooks w
      where w.id = any(webhook_ids) and w.active and w.plain and w.deleted_at is null
        and w.previous_sealed_secret is null
        and (greatest(w.closed_until, w.next_probe_at) > now()) is not true), '[]'))
  into claimed;
  if claimable < cardinality(delivery_ids) then
    perform pg_notify('jobs:insert', json_build_object('r', random(), 'count', 1)::text);
  end if;
  return claimed;
end $$;

-- emit_events_once with a worker pool for one event without an idempotency key that has one delivery: the usual case,
-- in half the time. Every other event (another number of deliveries, not claimable, refused) goes to emit_events_once.
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
  select w.id, w.active, w.plain, w.previous_sealed_secret, w.closed_until, w.next_probe_at, task.id as task_id,
         hookwright.webhook_to_send(w) as to_send, count(*) over () as webhooks into matched
  from hookwright.tenants t
  join hookwright.event_types et on et.name = type and not et.reserved and et.deprecated_at is null
  cross join hookwright.subscribers(t.id, type, null) w
  join hookwright_jobs._private_tasks task on task.identifier = 'deliver'
  where t.id = tenant and t.deleted_at is null
  limit 1;
  if not (matched.webhooks = 1 and matched.active and matched.plain
          and matched.previous_sealed_secret is null
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
      'webhooks', json_build_array(matched.to_send));
end $$;
