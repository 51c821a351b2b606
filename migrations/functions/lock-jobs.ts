/**
 * Locks the jobs of these keys, before others take their place. `add_jobs` first lets go of jobs that are locked, and
 * then passes over them: a fetch that commits in between is seen by neither step as it is, and the work would be left
 * to the fetched job, which may have read its rows before they were committed. Fetches pass over jobs that are locked
 * here.
 *
 * The order is always the same, so that no two transactions wait for each other. For that order and condition the
 * index of keys is all that a plan can use, whatever Postgres believes of the table; so the plan is kept, because
 * making it takes longer than running it (docs/decisions/0017).
 */
export const lockJobs = `
create or replace function hookwright.lock_jobs(keys text[]) returns void
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
begin
  perform from hookwright_jobs._private_jobs where key = any(keys) order by key for update;
end $$;

revoke execute on function hookwright.lock_jobs from public;
`;
