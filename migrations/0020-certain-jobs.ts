import { Migration } from '@mikro-orm/migrations';

/**
 * A job that replaces another one is never lost when it meets a fetch. `add_jobs` first lets go of the jobs that are locked,
 * and then passes over those that are: a fetch that commits between the two is seen by neither as it is, and the work would
 * be left to the fetched job, which may read the rows before they are committed. So the jobs of these keys are locked first;
 * fetches skip what is locked.
 */
export class CertainJobs extends Migration {
  override up(): void {
    this.addSql(`
      -- Always in one order, so that nobody waits in a ring. In that order and by that condition the index of keys is all
      -- that a plan can go by, whatever Postgres believes of the table: so it is kept, which planning it anew each time
      -- would cost more than running it.
      create function hookwright.lock_jobs(keys text[]) returns void
      language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
      begin
        perform from hookwright_jobs._private_jobs where key = any(keys) order by key for update;
      end $$;

      create or replace function hookwright.enqueue_deliveries(
        delivery_ids bigint[], attempt_numbers integer[], run_ats timestamptz[], priorities integer[]
      ) returns integer
      language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp
      -- A plan that add_jobs made while there were no jobs would read all of them, once for each new one.
      set plan_cache_mode = force_custom_plan as $$
      begin
        if coalesce(array_length(delivery_ids, 1), 0) = 0 then
          return 0;  -- add_jobs notifies every listener even for an empty list
        end if;
        perform hookwright.lock_jobs(array(select 'd:' || id from unnest(delivery_ids) as due(id)));
        perform hookwright_jobs.add_jobs(array(
          select ('deliver', json_build_object('id', id, 'attempt', attempt), null, run_at, 25, 'd:' || id,
                  priority, null)::hookwright_jobs.job_spec
          from unnest(delivery_ids, attempt_numbers, run_ats, priorities) as due(id, attempt, run_at, priority)));
        return array_length(delivery_ids, 1);
      end $$;

      create or replace function hookwright.enqueue_settle(webhook_id bigint, tenant_id bigint) returns void
      language sql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
        select hookwright.lock_jobs(array['w:' || webhook_id]);
        select hookwright_jobs.add_job('settle-webhook',
          json_build_object('webhookId', webhook_id, 'tenantId', tenant_id), job_key := 'w:' || webhook_id)
      $$;

      create or replace function hookwright.enqueue_bulk_operation(
        operation_id bigint, tenant_id bigint, in_ms double precision, waited_ms double precision
      ) returns void
      language sql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
        select hookwright.lock_jobs(array['b:' || operation_id]);
        select hookwright_jobs.add_job('bulk-operation',
          json_build_object('operationId', operation_id, 'tenantId', tenant_id, 'waitedMs', waited_ms),
          job_key := 'b:' || operation_id, run_at := now() + in_ms * interval '1 millisecond')
      $$;

      -- Another job of the delivery, due later, takes the place of the one that is being run, and remembers how often that
      -- was fetched. job_id: the one that is being run; when another has taken its key already, nothing is done. Null:
      -- whichever has the key.
      create function hookwright.set_job_aside(
        delivery_id bigint, attempt_number integer, job_id bigint, run_at timestamptz, fetches integer
      ) returns void
      language plpgsql set plan_cache_mode = force_custom_plan as $$
      begin
        perform hookwright.lock_jobs(array['d:' || delivery_id]);
        if job_id is null or exists (
          select from hookwright_jobs._private_jobs where id = job_id and key = 'd:' || delivery_id
        ) then
          perform hookwright.enqueue_deliveries(array[delivery_id], array[attempt_number], array[run_at], array[0]);
          -- Far below max_attempts, at which nobody would fetch it.
          update hookwright_jobs._private_jobs set attempts = least(fetches, max_attempts / 2)
          where key = 'd:' || delivery_id;
        end if;
      end $$;
      revoke execute on function
        hookwright.lock_jobs(text[]),
        hookwright.set_job_aside(bigint, integer, bigint, timestamptz, integer) from public;
    `);
  }
}
