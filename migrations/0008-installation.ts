import { Migration } from '@mikro-orm/migrations';

/**
 * What a platform key sees of the whole installation. Rows of all tenants are read through views, which have the
 * owner's rights and are empty unless the transaction is for the installation itself: the policies that tenants' rows
 * are read by stay as they are, and so do the plans of those reads (docs/decisions/0009).
 */
export class Installation extends Migration {
  override up(): void {
    this.addSql(`
      -- What each daemon says of itself every few seconds. Unlogged: after a crash of the server they say it again.
      create unlogged table hookwright.daemons (
        id uuid primary key,
        host text not null,
        pid integer not null,
        version text not null,
        slots integer not null,
        in_flight integer not null,
        started_at timestamptz not null,
        last_seen_at timestamptz not null default now()
      ) with (fillfactor = 50);
      -- What a daemon has found out about the installation, which only the owner of the tables can ask.
      create unlogged table hookwright.installation_report (
        only_row boolean primary key default true check (only_row),
        report text not null,                             -- JSON
        made_at timestamptz not null default now()
      ) with (fillfactor = 50);

      create view hookwright.all_webhooks as
        select id, tenant_id, url, active, disabled_reason from hookwright.webhooks
        where deleted_at is null and hookwright.current_tenant() = 0;
      create view hookwright.all_deliveries as
        select id, tenant_id, webhook_id, status, due_at, last_error_code from hookwright.deliveries
        where hookwright.current_tenant() = 0;
      create view hookwright.all_stats as
        select tenant_id, webhook_id, event_type, resolution, bucket, successes, failures, latency_histogram
        from hookwright.delivery_stats where hookwright.current_tenant() = 0;

      alter table hookwright.daemons enable row level security, force row level security;
      alter table hookwright.installation_report enable row level security, force row level security;
      create policy platform on hookwright.daemons for select to hookwright_api
        using (hookwright.current_tenant() = 0);
      create policy platform on hookwright.installation_report for select to hookwright_api
        using (hookwright.current_tenant() = 0);
      create policy all_rows on hookwright.daemons to current_user using (true);
      create policy all_rows on hookwright.installation_report to current_user using (true);
      grant select on hookwright.daemons, hookwright.installation_report, hookwright.all_webhooks,
        hookwright.all_deliveries, hookwright.all_stats to hookwright_api;
    `);
  }
}
