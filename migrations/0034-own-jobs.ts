import { Migration } from '@mikro-orm/migrations';

export const moveJobsSql = String.raw`
  do $$
  declare
    outdated oid[] := array(
      select p.oid from pg_proc p
      where p.pronamespace = 'hookwright'::regnamespace and p.prosrc ~ '\mgraphile_worker\.');
  begin
    if cardinality(outdated) = 0 then
      return;
    end if;
    for i in 1 .. cardinality(outdated) loop
      execute regexp_replace(pg_get_functiondef(outdated[i]), '\mgraphile_worker\.', 'hookwright_jobs.', 'g');
    end loop;
    execute $move$
      with ours as (
        select id, identifier from graphile_worker._private_tasks
        where identifier in ('deliver', 'deliver-group', 'settle-webhook', 'bulk-operation')),
      taken as (
        delete from graphile_worker._private_jobs j using ours
        where j.task_id = ours.id and j.locked_at is null and j.key ~ '^[a-z]:[0-9]'
        returning ours.identifier, j.payload, j.run_at, j.max_attempts, j.key, j.priority)
      select hookwright_jobs.add_jobs(array_agg(
        (identifier, payload, null, run_at, max_attempts, key, priority, null)::hookwright_jobs.job_spec))
      from taken having count(*) > 0
    $move$;
  end $$;`;

/**
 * Jobs have a schema of their own since then. Before, they were in graphile-worker's usual one, which an application in
 * the same database may use too. Where that was so, functions are pointed to the new one, and jobs that wait are moved;
 * those in hand are finished where they are, or rescued. Elsewhere there is nothing to do.
 */
export class OwnJobs extends Migration {
  override up(): void {
    this.addSql(moveJobsSql);
  }
}
