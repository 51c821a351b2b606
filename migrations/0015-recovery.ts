import { Migration } from '@mikro-orm/migrations';

/**
 * Webhooks that failures have disabled come back by themselves, and values of a tenant that its webhooks inherit. A row
 * of `webhook_recoveries` is written when a webhook with `recovery: AUTOMATIC` is disabled, so the row of the webhook,
 * which each batch of outcomes writes again, stays as it is.
 */
export class Recovery extends Migration {
  override up(): void {
    this.addSql(`
      create table hookwright.webhook_recoveries (
        webhook_id bigint primary key references hookwright.webhooks on delete cascade,
        tenant_id bigint not null,
        generation integer,                   -- the webhook's, when it was disabled; null: not looked at
        pause_minutes integer not null,       -- before the next probe: 1, 2, 4 ... 60
        next_probe_at timestamptz,            -- null: none
        recovered_at timestamptz              -- when a probe has enabled the webhook
      );
      create index on hookwright.webhook_recoveries (next_probe_at) where next_probe_at is not null;
      alter table hookwright.webhook_recoveries enable row level security, force row level security;
      create policy one_tenant on hookwright.webhook_recoveries to hookwright_api
        using (tenant_id = hookwright.current_tenant());
      create policy all_tenants on hookwright.webhook_recoveries to current_user using (true);
      grant select on hookwright.webhook_recoveries to hookwright_api;

      create index on hookwright.webhook_options (webhook_id) where recovery = 'AUTOMATIC';

      alter table hookwright.tenants
        add column timeout_ms integer,
        add column retry_delays_seconds integer[],
        add column rate_per_second double precision,
        add column concurrency_max integer,
        add column recovery text;
      create index on hookwright.tenants (id) where recovery = 'AUTOMATIC';
      grant update (timeout_ms, retry_delays_seconds, rate_per_second, concurrency_max, recovery)
        on hookwright.tenants to hookwright_api;
    `);
  }
}
