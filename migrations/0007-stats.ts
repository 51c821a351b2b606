import { Migration } from '@mikro-orm/migrations';

/**
 * Statistics that stay fast: minutes are rolled up to hours and days, each with its sums over webhooks and event types,
 * and every series lies together in the primary key. And indexes for the
 * pages and counts of deliveries by state.
 */
export class Stats extends Migration {
  override up(): void {
    this.addSql(`
      -- Text, because row-level security lets an index be used for leakproof operators alone, and an enum's '=' is none.
      alter table hookwright.delivery_stats
        alter column resolution type text using resolution::text,
        add constraint delivery_stats_resolution check (resolution in ('MINUTE', 'HOUR', 'DAY')),
        drop constraint delivery_stats_pkey,
        add primary key (tenant_id, webhook_id, event_type, resolution, bucket);
      drop type hookwright.stats_resolution;
      comment on column hookwright.delivery_stats.webhook_id is '0: the sum of all webhooks';
      comment on column hookwright.delivery_stats.event_type is 'empty: the sum of all event types';
      drop index hookwright.delivery_stats_tenant, hookwright.delivery_stats_age;
      -- What the outcomes write stands in the first one, what is rolled up from it in the second.
      create index delivery_stats_written on hookwright.delivery_stats (bucket, tenant_id)
        where resolution = 'MINUTE' and webhook_id <> 0 and event_type <> '';
      create index delivery_stats_rolled_up on hookwright.delivery_stats (resolution, bucket)
        where resolution <> 'MINUTE' or webhook_id = 0 or event_type = '';

      -- How far the roll-up has come, in one row: see src/domain/roll-up.ts.
      create table hookwright.stats_progress (
        only_row boolean primary key default true check (only_row),
        minutes_until timestamptz not null,   -- minutes before have their sums
        hours_until timestamptz not null,     -- hours before are rolled up
        days_until timestamptz not null,      -- days before are rolled up
        minutes_from timestamptz not null,    -- minutes before are gone: their hours are final
        hours_from timestamptz not null       -- hours before are gone: their days are final
      );
      insert into hookwright.stats_progress (minutes_until, hours_until, days_until, minutes_from, hours_from)
      select day, day, day, day, day
      from (select date_trunc('day', least(min(bucket), now()), 'UTC') as day from hookwright.delivery_stats) as first;
      grant select on hookwright.stats_progress to hookwright_api;

      -- So that due ones can be counted, and the oldest be found. The only one of these that an emit writes to as well.
      create index deliveries_webhook_due on hookwright.deliveries (webhook_id, due_at) where status = 'PENDING';
      -- Pages by state: without them a page of what is rare reads the whole history.
      create index deliveries_webhook_failed on hookwright.deliveries (webhook_id, id desc) where status = 'FAILED';
      create index deliveries_webhook_canceled on hookwright.deliveries (webhook_id, id desc)
        where status = 'CANCELED';
      create index deliveries_canceled on hookwright.deliveries (tenant_id, id desc) where status = 'CANCELED';
    `);
  }
}
