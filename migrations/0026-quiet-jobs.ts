import { Migration } from '@mikro-orm/migrations';

/**
 * Jobs of deliveries are written as `add_jobs` writes them, but nobody is told of those that run later. A transaction that
 * tells somebody holds a lock of the whole database while it waits for the disk, so put-offs and retries, of which a sick
 * endpoint makes many, committed one after the other, and each had every daemon look for jobs that it could not have yet.
 */
export class QuietJobs extends Migration {
  override up(): void {
    this.addSql(`
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

      -- As in 0020, and the job that waits has the lane of the one whose place it takes.
      create or replace function hookwright.set_job_aside(
        delivery_id bigint, attempt_number integer, job_id bigint, run_at timestamptz, fetches integer
      ) returns void
      language plpgsql set plan_cache_mode = force_custom_plan as $$
      declare
        job_key text := 'd:' || delivery_id;
        known_priority integer;
      begin
        perform hookwright.lock_jobs(array[job_key]);
        select priority into known_priority from hookwright_jobs._private_jobs
        where key = job_key and (job_id is null or id = job_id);
        if found or job_id is null then
          perform hookwright.enqueue_deliveries(
            array[delivery_id], array[attempt_number], array[run_at], array[coalesce(known_priority, 0)]);
          -- Far below max_attempts, at which nobody would fetch it.
          update hookwright_jobs._private_jobs set attempts = least(fetches, max_attempts / 2) where key = job_key;
        end if;
      end $$;
    `);
  }
}
