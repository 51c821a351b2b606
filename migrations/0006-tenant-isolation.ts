import { Migration } from '@mikro-orm/migrations';

/**
 * Row-level security as the second line behind the ORM's tenant filter, and the rights of the role `hookwright_api`,
 * which `migrate` makes before. The API works as that role: it owns nothing, sees the rows of the tenant that its
 * transaction names in `app.tenant` (none, if it names none), can delete nothing and cannot change the audit log.
 *
 * The owner of the tables (daemon and command line) works for all tenants. Security is forced all the same, so that
 * this is a policy which can be read, and not an exception which has to be known.
 */
export class TenantIsolation extends Migration {
  override up(): void {
    this.addSql(`
      grant usage on schema hookwright to hookwright_api;

      -- 0 stands for the installation itself: platform keys and what was done to them.
      create function hookwright.current_tenant() returns bigint
      language sql stable parallel safe
      return nullif(current_setting('app.tenant', true), '')::bigint;

      do $$
      declare
        isolated record;
        owner_name text := current_user;
      begin
        for isolated in
          select * from (values
            ('tenants', 'id'),
            ('api_keys', 'coalesce(tenant_id, 0)'),
            ('audit_log', 'coalesce(tenant_id, 0)'),
            ('webhooks', 'tenant_id'),
            ('events', 'tenant_id'),
            ('deliveries', 'tenant_id'),
            ('attempts', 'tenant_id'),
            ('idempotency_keys', 'tenant_id'),
            ('delivery_stats', 'tenant_id'),
            ('endpoint_states', 'tenant_id')) as t(name, tenant)
        loop
          execute format('alter table hookwright.%I enable row level security', isolated.name);
          execute format('alter table hookwright.%I force row level security', isolated.name);
          execute format(
            'create policy one_tenant on hookwright.%I to hookwright_api using (%s = hookwright.current_tenant())',
            isolated.name, isolated.tenant);
          execute format('create policy all_tenants on hookwright.%I to %I using (true)', isolated.name, owner_name);
        end loop;
      end $$;

      grant select on hookwright.migrations, hookwright.event_types, hookwright.tenants, hookwright.api_keys,
        hookwright.audit_log, hookwright.webhooks, hookwright.events, hookwright.deliveries, hookwright.attempts,
        hookwright.delivery_stats, hookwright.endpoint_states to hookwright_api;
      grant insert on hookwright.tenants, hookwright.api_keys, hookwright.audit_log, hookwright.webhooks
        to hookwright_api;
      -- 'for update' and 'for share' need the right to update as well.
      grant update (name) on hookwright.tenants to hookwright_api;
      grant update (revoked_at) on hookwright.api_keys to hookwright_api;
      grant update on hookwright.webhooks, hookwright.deliveries to hookwright_api;
      grant usage on all sequences in schema hookwright to hookwright_api;

      -- Before the tenant is known there is only the key.
      create function hookwright.find_api_key(key_id bigint)
      returns table (id bigint, tenant_id bigint, hash bytea, scopes text[], expires_at timestamptz,
                     revoked_at timestamptz, last_used_at timestamptz)
      language sql stable security definer set search_path = pg_catalog, hookwright, pg_temp as $$
        select k.id, k.tenant_id, k.hash, k.scopes, k.expires_at, k.revoked_at, k.last_used_at
        from hookwright.api_keys k where k.id = key_id
      $$;
      create function hookwright.note_api_key_use(key_id bigint, used_at timestamptz) returns void
      language sql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
        update hookwright.api_keys set last_used_at = greatest(last_used_at, used_at) where id = key_id
      $$;

      -- Jobs are graphile-worker's, whose tables only their owner may touch.
      create function hookwright.enqueue_settle(webhook_id bigint, tenant_id bigint) returns void
      language sql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
        select hookwright_jobs.add_job('settle-webhook',
          json_build_object('webhookId', webhook_id, 'tenantId', tenant_id), job_key := 'w:' || webhook_id)
      $$;
      alter function hookwright.enqueue_deliveries(bigint[], integer[], timestamptz[], integer[]) security definer;
      alter function hookwright.enqueue_deliveries(bigint[], integer[], timestamptz[], integer[])
        set search_path = pg_catalog, hookwright, pg_temp;

      revoke execute on all functions in schema hookwright from public;
      grant execute on function
        hookwright.current_tenant(),
        hookwright.find_api_key(bigint),
        hookwright.note_api_key_use(bigint, timestamptz),
        hookwright.enqueue_settle(bigint, bigint),
        hookwright.enqueue_deliveries(bigint[], integer[], timestamptz[], integer[]),
        hookwright.emit_events(bigint[], text[], text[], text[], bigint[], integer[]),
        hookwright.next_id(), hookwright.id_at(timestamptz), hookwright.id_clock(), hookwright.id_day(bigint)
        to hookwright_api;
    `);
  }
}
