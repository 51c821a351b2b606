import { Migration } from '@mikro-orm/migrations';

/** Waking a long backlog of put-off deliveries is made by many jobs, each of which goes on where the last one ended. */
export class WakingInTurns extends Migration {
  override up(): void {
    this.addSql(`
      drop function hookwright.enqueue_settle(bigint, bigint);
      -- woken_to: of what was put off before a time, all up to this delivery has been woken; null: nothing yet. A job that
      -- waits already may have more to do: the new one in its place does what both would have done.
      create function hookwright.enqueue_settle(
        webhook_id bigint, tenant_id bigint, woken_to bigint default null, put_off_before timestamptz default null
      ) returns void
      language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
      declare
        settle_key text := 'w:' || webhook_id;
        waiting json;
      begin
        perform hookwright.lock_jobs(array[settle_key]);
        if woken_to is not null then
          select payload into waiting from hookwright_jobs._private_jobs where key = settle_key and is_available;
          if found and waiting->>'wokenTo' is null then
            woken_to := null;
            put_off_before := null;
          elsif found then
            woken_to := least(woken_to, (waiting->>'wokenTo')::bigint);
            put_off_before := greatest(put_off_before, (waiting->>'putOffBefore')::timestamptz);
          end if;
        end if;
        perform hookwright_jobs.add_job('settle-webhook',
          json_strip_nulls(json_build_object('webhookId', webhook_id, 'tenantId', tenant_id,
                                             'wokenTo', woken_to, 'putOffBefore', put_off_before)),
          job_key := settle_key);
      end $$;
      revoke execute on function hookwright.enqueue_settle(bigint, bigint, bigint, timestamptz) from public;
      grant execute on function hookwright.enqueue_settle(bigint, bigint, bigint, timestamptz) to hookwright_api;
    `);
  }
}
