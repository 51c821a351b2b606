import { Migration } from '@mikro-orm/migrations';

/** Finds anything by its number over all tenants, and hides event types from tenants that do not use them. */
export class WhereIs extends Migration {
  override up(): void {
    this.addSql(`
      alter table hookwright.event_types add column hidden_at timestamptz;
      -- The hidden types that webhooks name stay in the OpenAPI document.
      create or replace view hookwright.all_webhooks as
        select id, tenant_id, url, active, disabled_reason, disabled_at, consecutive_failures, failing_since,
               streak_began_at, last_failure_at, closed_until, event_types
        from hookwright.webhooks
        where deleted_at is null and hookwright.current_tenant() = 0;
      grant update (hidden_at) on hookwright.event_types to hookwright_api;
    `);
  }
}
