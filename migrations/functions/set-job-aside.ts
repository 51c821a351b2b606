/**
 * Puts a delivery off whose job is being run: another job, due later, takes its place in the same lane, with the
 * number of fetches that the first one has had.
 *
 * - job_id: the job that is being run. When another job has taken its key already, nothing is done. Null: whichever
 *   job has the key
 */
export const setJobAside = `
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

revoke execute on function hookwright.set_job_aside from public;
`;
