/**
 * Adds jobs for deliveries that wait, with the time and priority of each. A delivery's job that nobody runs yet is
 * replaced. With `enqueue_new_deliveries`, `claim_new_deliveries` and `emit_lone_event` this is all SQL that adds
 * delivery jobs.
 *
 * A job is a hint that a delivery is due: it names the delivery and the number of the attempt, and nothing else. It
 * may be fetched 25 times, because graphile-worker counts a fetch as an attempt, and the job of a process that died
 * must stay available.
 *
 * The rows are written as graphile-worker's `add_jobs` writes them, but a notice is sent only when one of them is due.
 * A transaction that sends one holds a lock of the whole database while it waits for the disk: put-offs and retries,
 * of which a sick endpoint makes many, would commit one after the other (docs/decisions/0022).
 *
 * @returns the number of jobs
 */
export const enqueueDeliveries = `
create or replace function hookwright.enqueue_deliveries(
  delivery_ids bigint[], attempt_numbers integer[], run_ats timestamptz[], priorities integer[]
) returns integer
language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp
-- A plan that was made while there were no jobs would read all of them, once for each new one.
set plan_cache_mode = force_custom_plan as $$
declare
  keys text[] := array(select 'd:' || id from unnest(delivery_ids) as due(id));
  task integer := (select id from hookwright_jobs._private_tasks where identifier = 'deliver');
begin
  if cardinality(keys) = 0 then
    return 0;
  end if;
  if task is null then
    insert into hookwright_jobs._private_tasks (identifier) values ('deliver') on conflict do nothing;
    task := (select id from hookwright_jobs._private_tasks where identifier = 'deliver');
  end if;
  perform hookwright.lock_jobs(keys);
  -- Whoever runs one of these may have read its delivery before: another job takes its place.
  update hookwright_jobs._private_jobs set key = null, attempts = max_attempts, updated_at = now()
  where key = any(keys) and is_available is not true;
  insert into hookwright_jobs._private_jobs as jobs (task_id, payload, run_at, max_attempts, key, priority)
  select task, json_build_object('id', id, 'attempt', attempt), run_at, 25, 'd:' || id, priority
  from unnest(delivery_ids, attempt_numbers, run_ats, priorities) as due(id, attempt, run_at, priority)
  on conflict (key) do update set
    job_queue_id = null, task_id = excluded.task_id, payload = excluded.payload, run_at = excluded.run_at,
    max_attempts = excluded.max_attempts, attempts = 0, last_error = null, priority = excluded.priority,
    flags = null, revision = jobs.revision + 1, updated_at = now()
  where jobs.locked_at is null;
  if exists (select from unnest(run_ats) as due(run_at) where run_at <= now()) then
    perform pg_notify('jobs:insert', json_build_object('r', random(), 'count', cardinality(keys))::text);
  end if;
  return cardinality(keys);
end $$;

revoke execute on function hookwright.enqueue_deliveries from public;
grant execute on function hookwright.enqueue_deliveries to hookwright_api;
`;
