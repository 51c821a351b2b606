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

-- Whether an emit may hand a webhook to the daemon: something may be sent to it now, and it has no previous secret.
-- Whether such a secret still signs is checked when a delivery is loaded.
create or replace function hookwright.is_sendable(w hookwright.webhooks) returns boolean
language sql stable as $$
  select w.active and w.deleted_at is null and w.previous_sealed_secret is null
         and (greatest(w.closed_until, w.next_probe_at) > now()) is not true
$$;

-- enqueue_new_deliveries with jobs, up to a priority, that a worker pool has locked from the start, as
-- graphile-worker's fetch locks them, if there are at most claim_max such deliveries. No notice is sent for these.
--
-- Returns what the pool needs to make the attempts; null when nothing was claimed:
-- - jobs: [id, payload, priority], …
-- - deliveries: [id, index of the item, webhook's id], …
-- - webhooks: webhook_to_send, … Those that are not sendable or not plain are left out: their deliveries are loaded.
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
      select json_agg(hookwright.webhook_to_send(w)) from hookwright.webhooks w
      where w.id = any(webhook_ids) and w.plain and hookwright.is_sendable(w)), '[]'))
  into claimed;
  if claimable < cardinality(delivery_ids) then
    perform pg_notify('jobs:insert', json_build_object('r', random(), 'count', 1)::text);
  end if;
  return claimed;
end $$;
