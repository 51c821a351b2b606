import { Migration } from '@mikro-orm/migrations';

/** The queue over time (docs/decisions/0089). Older daemons report no due deliveries, and count nothing. */
export class QueueStats extends Migration {
  override up(): void {
    this.addSql(`
      -- A minute in which nothing was queued has no row.
      create table hookwright.queue_stats (
        tenant_id bigint not null,                        -- 0: all tenants together
        webhook_id bigint not null,                       -- 0: the webhooks of the tenant that were counted, together
        resolution text not null,                         -- as in delivery_stats
        bucket timestamptz not null,
        due integer not null,
        held integer not null,
        oldest_seconds integer not null,                  -- how long the oldest due delivery had been due; 0: none was
        is_more boolean not null,                         -- counting ended before the deliveries did
        others boolean not null,                          -- of all tenants: webhooks without a row had deliveries, too
        constraint queue_stats_resolution check (resolution in ('MINUTE', 'HOUR', 'DAY')),
        primary key (tenant_id, webhook_id, resolution, bucket)
      );
      create index queue_stats_time on hookwright.queue_stats (resolution, bucket);

      -- Times in which nobody counted.
      create table hookwright.queue_gaps (
        since timestamptz primary key,
        until timestamptz not null
      );
      -- The daemon that moves the mark to a minute counts that minute.
      create table hookwright.queue_progress (
        only_row boolean primary key default true check (only_row),
        counted_until timestamptz not null,               -- the beginning of the last minute that was counted
        due_after bigint not null default 0,              -- the next look for webhooks begins behind this one
        held_after bigint not null default 0              -- the same for held deliveries
      ) with (fillfactor = 50);
      insert into hookwright.queue_progress (counted_until) values (date_trunc('minute', now()));
      insert into hookwright.queue_gaps values (now() - interval '2 years 2 days', date_trunc('minute', now()));

      alter table hookwright.queue_stats enable row level security, force row level security;
      create policy one_tenant on hookwright.queue_stats to hookwright_api
        using (tenant_id = hookwright.current_tenant());
      create policy all_tenants on hookwright.queue_stats to current_user using (true);
      -- Every tenant may know when its webhooks may not have been counted.
      create view hookwright.queue_uncounted as
        select resolution, bucket from hookwright.queue_stats where tenant_id = 0 and webhook_id = 0 and others;
      grant select on hookwright.queue_stats, hookwright.queue_gaps, hookwright.queue_progress,
        hookwright.queue_uncounted to hookwright_api;

      -- Deliveries that are due and in hand of the daemon.
      alter table hookwright.endpoint_states add column due integer not null default 0;
      create index endpoint_states_due on hookwright.endpoint_states (due desc) where due > 0;
    `);
  }
}
