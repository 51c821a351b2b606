/**
 * Adds jobs for first attempts of deliveries that the same transaction has written. No job can name these yet, so
 * nothing has to be looked up, replaced or locked, and this takes half the time of graphile-worker's `add_jobs`.
 * Deliveries of one group share a job; one whose group is null has a job of its own.
 *
 * @returns the number of deliveries
 */
export const enqueueNewDeliveries = `
create or replace function hookwright.enqueue_new_deliveries(
  delivery_ids bigint[], job_groups bigint[], priorities integer[]
) returns integer
language plpgsql as $$
declare
  single_task integer := (select id from hookwright_jobs._private_tasks where identifier = 'deliver');
  group_task integer := (select id from hookwright_jobs._private_tasks where identifier = 'deliver-group');
begin
  if coalesce(array_length(delivery_ids, 1), 0) = 0 then
    return 0;
  end if;
  if single_task is null or group_task is null then
    insert into hookwright_jobs._private_tasks (identifier) values ('deliver'), ('deliver-group')
    on conflict do nothing;
    return hookwright.enqueue_new_deliveries(delivery_ids, job_groups, priorities);
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

revoke execute on function hookwright.enqueue_new_deliveries from public;
`;
