/**
 * Adds the job of a bulk operation. Its key is the operation's, so a job that waits is replaced: an operation has one
 * job.
 *
 * - in_ms: how many milliseconds from now it runs
 * - waited_ms: for how long it has waited so far
 */
export const enqueueBulkOperation = `
create or replace function hookwright.enqueue_bulk_operation(
  operation_id bigint, tenant_id bigint, in_ms double precision, waited_ms double precision
) returns void
language sql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
  select hookwright.lock_jobs(array['b:' || operation_id]);
  select hookwright_jobs.add_job('bulk-operation',
    json_build_object('operationId', operation_id, 'tenantId', tenant_id, 'waitedMs', waited_ms),
    job_key := 'b:' || operation_id, run_at := now() + in_ms * interval '1 millisecond')
$$;

revoke execute on function hookwright.enqueue_bulk_operation from public;
grant execute on function hookwright.enqueue_bulk_operation to hookwright_api;
`;
