/**
 * Adds the job that brings a webhook's deliveries in line with its state.
 *
 * - woken_to: of what was put off before put_off_before, all up to this delivery has been woken; null: nothing yet
 * - in_ms: how many milliseconds from now the job runs, so that many webhooks can take turns
 *
 * A job that waits already may have more to do, or may be wanted sooner: the new one in its place does what both would
 * have done.
 */
export const enqueueAlign = `
create or replace function hookwright.enqueue_align(
  webhook_id bigint, tenant_id bigint, woken_to bigint default null, put_off_before timestamptz default null,
  in_ms double precision default 0
) returns void
language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
declare
  align_key text := 'w:' || webhook_id;
  run_at timestamptz := now() + in_ms * interval '1 millisecond';
  waiting record;
begin
  perform hookwright.lock_jobs(array[align_key]);
  select j.payload, j.run_at into waiting from hookwright_jobs._private_jobs j where key = align_key and is_available;
  if found then
    run_at := least(run_at, waiting.run_at); -- somebody may want it sooner
    if woken_to is not null and waiting.payload->>'wokenTo' is null then
      woken_to := null;
      put_off_before := null;
    elsif woken_to is not null then
      woken_to := least(woken_to, (waiting.payload->>'wokenTo')::bigint);
      put_off_before := greatest(put_off_before, (waiting.payload->>'putOffBefore')::timestamptz);
    end if;
  end if;
  perform hookwright_jobs.add_job('align-webhook',
    json_strip_nulls(json_build_object('webhookId', webhook_id, 'tenantId', tenant_id,
                                       'wokenTo', woken_to, 'putOffBefore', put_off_before)),
    job_key := align_key, run_at := run_at);
end $$;

revoke execute on function hookwright.enqueue_align from public;
grant execute on function hookwright.enqueue_align to hookwright_api;
`;
