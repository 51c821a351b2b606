import { Migration } from '@mikro-orm/migrations';

/**
 * Ids that another system has given to tenants and webhooks (docs/decisions/0081). The indexes decide between two that
 * want the same. A webhook's stands in its options row: outcomes of deliveries write the row of the webhook itself.
 * The index of webhooks begins with the id, by which a platform key finds those of all tenants.
 */
export class ExternalIds extends Migration {
  override up(): void {
    this.addSql(`
      alter table hookwright.tenants add column external_id text;
      create unique index tenants_external_id on hookwright.tenants (external_id)
        where external_id is not null and deleted_at is null;
      grant update (external_id) on hookwright.tenants to hookwright_api;

      alter table hookwright.webhook_options add column external_id text;
      create unique index webhook_options_external_id on hookwright.webhook_options (external_id, tenant_id)
        where external_id is not null;
    `);
  }
}
