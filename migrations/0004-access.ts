import { Migration } from '@mikro-orm/migrations';

/** Tables with rows of tenants, and the column of a row's tenant; 0: the installation itself. */
const isolated = {
  tenants: 'id',
  api_keys: 'coalesce(tenant_id, 0)',
  audit_log: 'coalesce(tenant_id, 0)',
  webhooks: 'tenant_id',
  raised_events: 'tenant_id',
  bulk_operations: 'tenant_id',
  outbox_grants: 'tenant_id',
  events: 'tenant_id',
  event_traces: 'tenant_id',
  idempotency_keys: 'tenant_id',
  deliveries: 'tenant_id',
  attempts: 'tenant_id',
  delivery_stats: 'tenant_id',
  endpoint_states: 'tenant_id',
  changes: 'tenant_id',
  daemons: '0',
  installation_report: '0',
};

/**
 * Row-level security as the second line behind the ORM's tenant filter, and the rights of the role `hookwright_api`,
 * which `migrate` makes (docs/decisions/0009). The API works as that role: it sees the rows of the tenant that its
 * transaction names in `app.tenant` (none if it names none), can delete nothing and cannot change the audit log. Its
 * right to call a function stands with the function. The owner of the tables (daemon and command line) works for all
 * tenants, by a policy as well.
 */
export class Access extends Migration {
  override up(): void {
    for (const [table, tenant] of Object.entries(isolated)) {
      this.addSql(`
        alter table hookwright.${table} enable row level security, force row level security;
        create policy one_tenant on hookwright.${table} to hookwright_api
          using (${tenant} = hookwright.current_tenant());
        create policy all_tenants on hookwright.${table} to current_user using (true);
      `);
    }
    this.addSql(`
      -- A platform key that names no tenant sees all of them.
      create policy platform on hookwright.tenants for select to hookwright_api
        using (hookwright.current_tenant() = 0);

      -- Event types belong to the installation: a tenant's transaction cannot change them.
      alter table hookwright.event_types enable row level security;
      create policy everybody_reads on hookwright.event_types for select to hookwright_api using (true);
      create policy installation_adds on hookwright.event_types for insert to hookwright_api
        with check (hookwright.current_tenant() = 0);
      create policy installation_changes on hookwright.event_types for update to hookwright_api
        using (hookwright.current_tenant() = 0);

      -- A platform key reads rows of all tenants through views with the owner's rights, which are empty in a
      -- transaction for a tenant. So the policies of the tables, and the plans of a tenant's reads, stay simple.
      create view hookwright.all_webhooks as
        select id, tenant_id, url, active, disabled_reason from hookwright.webhooks
        where deleted_at is null and hookwright.current_tenant() = 0;
      create view hookwright.all_deliveries as
        select id, tenant_id, webhook_id, status, due_at, last_error_code from hookwright.deliveries
        where hookwright.current_tenant() = 0;
      create view hookwright.all_stats as
        select tenant_id, webhook_id, event_type, resolution, bucket, successes, failures, latency_histogram
        from hookwright.delivery_stats where hookwright.current_tenant() = 0;

      grant usage on schema hookwright to hookwright_api;
      grant select on hookwright.migrations, hookwright.tenants, hookwright.api_keys, hookwright.audit_log,
        hookwright.event_types, hookwright.event_type_versions, hookwright.webhooks, hookwright.bulk_operations,
        hookwright.events, hookwright.deliveries, hookwright.attempts, hookwright.delivery_stats,
        hookwright.stats_progress, hookwright.endpoint_states, hookwright.daemons, hookwright.installation_report,
        hookwright.all_webhooks, hookwright.all_deliveries, hookwright.all_stats to hookwright_api;
      grant insert on hookwright.tenants, hookwright.api_keys, hookwright.audit_log, hookwright.webhooks,
        hookwright.bulk_operations to hookwright_api;
      grant insert (name, description, schema, text_fields, sample_payload) on hookwright.event_types
        to hookwright_api;
      -- 'for update' and 'for share' need the right to update as well.
      grant update (name, deleted_at) on hookwright.tenants to hookwright_api;
      grant update (revoked_at) on hookwright.api_keys to hookwright_api;
      grant update (description, schema, text_fields, sample_payload, deprecated_at) on hookwright.event_types
        to hookwright_api;
      grant update (status, finished_at, error) on hookwright.bulk_operations to hookwright_api;
      grant update on hookwright.webhooks, hookwright.deliveries to hookwright_api;
      grant usage on sequence hookwright.tenants_id_seq, hookwright.api_keys_id_seq, hookwright.audit_log_id_seq,
        hookwright.webhooks_id_seq, hookwright.id_sequence to hookwright_api;
      grant select on sequence hookwright.changes_wanted_until to hookwright_api;
    `);
  }
}
