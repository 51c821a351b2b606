import { Migration } from '@mikro-orm/migrations';

/** Failed attempts by reason (docs/decisions/0090). Processes that do not know them count failures without reasons. */
export class FailureStats extends Migration {
  override up(): void {
    this.addSql(`
      create table hookwright.failure_stats (
        tenant_id bigint not null,                        -- 0: the sum of all tenants
        webhook_id bigint not null,                       -- 0: the sum of all webhooks
        reason text not null,                             -- one of src/domain/stats/failure-reason.ts
        resolution text not null,                         -- as in delivery_stats
        bucket timestamptz not null,
        failures integer not null,
        constraint failure_stats_resolution check (resolution in ('MINUTE', 'HOUR', 'DAY')),
        primary key (tenant_id, webhook_id, resolution, bucket, reason)
      ) with (fillfactor = 70);
      -- The rows that outcomes write; the rows that are rolled up from them.
      create index failure_stats_written on hookwright.failure_stats (bucket, tenant_id)
        where resolution = 'MINUTE' and webhook_id <> 0;
      create index failure_stats_rolled_up on hookwright.failure_stats (resolution, bucket)
        where resolution <> 'MINUTE' or webhook_id = 0;
      alter table hookwright.failure_stats enable row level security, force row level security;
      create policy one_tenant on hookwright.failure_stats to hookwright_api
        using (tenant_id = hookwright.current_tenant());
      create policy all_tenants on hookwright.failure_stats to current_user using (true);
      grant select on hookwright.failure_stats to hookwright_api;
    `);
  }
}
