import { Migration } from '@mikro-orm/migrations';

/**
 * The row beside a webhook, for fields that few webhooks have (docs/decisions/0052), and the name of a webhook in
 * operational events. Processes that do not know it leave it as it is, and show no names.
 */
export class WebhookOptions extends Migration {
  override up(): void {
    this.addSql(`
      create sequence hookwright.options_version as integer cycle;
      alter table hookwright.webhooks
        add column options_version integer;               -- another one with each change; null: no row beside
      create table hookwright.webhook_options (
        webhook_id bigint primary key references hookwright.webhooks on delete cascade,
        tenant_id bigint not null,
        name text,
        description text,
        metadata jsonb
      );
      alter table hookwright.webhook_options enable row level security, force row level security;
      create policy one_tenant on hookwright.webhook_options to hookwright_api
        using (tenant_id = hookwright.current_tenant());
      create policy all_tenants on hookwright.webhook_options to current_user using (true);
      grant select, insert, update on hookwright.webhook_options to hookwright_api;
      grant usage on sequence hookwright.options_version to hookwright_api;
      update hookwright.event_types
      set schema = replace(replace(schema, '"webhook_id","origin"', '"webhook_id","origin","name"'),
                           '"origin":{"type":"string"}', '"origin":{"type":"string"},"name":{"type":"string"}'),
          sample_payload = replace(sample_payload, '"origin":"https://example.com"',
                                   '"origin":"https://example.com","name":"Booking system"')
      where name in ('webhook.disabled', 'webhook.recovered', 'delivery.exhausted', 'webhook.held_expiring');
    `);
  }
}
