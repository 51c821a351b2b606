import { Migration } from '@mikro-orm/migrations';

/**
 * Checks of webhooks, attempts before their time, bulk operations over all webhooks, and the health of webhooks for
 * platform keys. A process that does not know checks holds one while its webhook is inactive.
 */
export class AskedAttempts extends Migration {
  override up(): void {
    this.addSql(`
      -- Sent once, whatever state the webhook has, and without an effect on its health.
      alter table hookwright.deliveries add column is_check boolean not null default false;
      alter type hookwright.bulk_kind add value 'RECOVER_DELIVERIES';
      alter type hookwright.bulk_kind add value 'ATTEMPT_NOW';
      -- It let only CANCEL_DELIVERIES be about all webhooks.
      alter table hookwright.bulk_operations drop constraint bulk_operations_check;
      create or replace view hookwright.all_webhooks as
        select id, tenant_id, url, active, disabled_reason, disabled_at, consecutive_failures, failing_since,
               streak_began_at, last_failure_at, closed_until
        from hookwright.webhooks
        where deleted_at is null and hookwright.current_tenant() = 0;
    `);
  }
}
