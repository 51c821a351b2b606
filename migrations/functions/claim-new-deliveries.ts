/**
 * `enqueue_new_deliveries` with jobs, up to a priority, that are locked by a worker pool from the start, as
 * graphile-worker's fetch locks them, if there are at most claim_max such deliveries (docs/decisions/0018). No notice
 * is sent for these.
 *
 * @returns what the pool needs to make the attempts; null when nothing was claimed:
 *   - jobs: [id, payload, priority], …
 *   - deliveries: [id, index of the item, webhook's id], …
 *   - webhooks: [id, url, secret, generation, consecutive failures], …
 *
 *   Secrets are sealed, in base64. A webhook to which nothing may be sent now is missing, and so is one with a
 *   previous secret: whether that one still signs is asked when a delivery is loaded.
 */
export const claimNewDeliveries = `
create or replace function hookwright.claim_new_deliveries(
  delivery_ids bigint[], job_groups bigint[], priorities integer[], items integer[], webhook_ids bigint[],
  worker_pool text, claim_priority integer, claim_max integer
) returns json
language plpgsql as $$
declare
  single_task integer := (select id from hookwright_jobs._private_tasks where identifier = 'deliver');
  group_task integer := (select id from hookwright_jobs._private_tasks where identifier = 'deliver-group');
  claimable integer := (select count(*) from unnest(priorities) p where p <= claim_priority);
  claimed json;
begin
  if claimable not between 1 and claim_max or single_task is null or group_task is null then
    perform hookwright.enqueue_new_deliveries(delivery_ids, job_groups, priorities);
    return null;
  end if;
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
      select json_agg(json_build_array(
        w.id, w.url, encode(w.sealed_secret, 'base64'), w.generation,
        w.consecutive_failures))
      from hookwright.webhooks w
      where w.id = any(webhook_ids) and w.active and w.deleted_at is null and w.previous_sealed_secret is null
        and (greatest(w.closed_until, w.next_probe_at) > now()) is not true), '[]'))
  into claimed;
  if claimable < cardinality(delivery_ids) then
    perform pg_notify('jobs:insert', json_build_object('r', random(), 'count', 1)::text);
  end if;
  return claimed;
end $$;

revoke execute on function hookwright.claim_new_deliveries from public;
`;
