import { Migration } from '@mikro-orm/migrations';
import { isolated } from './isolated.js';

/**
 * Deliveries in the order of a key (docs/decisions/0058). Events of processes that do not know it are ordered too. Such
 * a daemon does not wake the next delivery of a key; a sweep does.
 */
export class Ordering extends Migration {
  override up(): void {
    this.addSql(`
      alter table hookwright.events add column ordering_key text;       -- the emit's
      alter table hookwright.events alter ordering_key set statistics 0;
      alter table hookwright.deliveries add column ordering_key text;   -- null: unordered; empty: the whole endpoint
      alter table hookwright.webhook_options
        add column key_path text,                                       -- as it was written
        add column ordering_path jsonpath,                              -- the same, compiled
        add column ordering_by text,                                    -- null: NONE
        add column ordering_keep text,
        add column ordering_on_failure text;

      -- A key exists while a delivery stands in its queue. An emit locks it until it commits.
      create table hookwright.ordering_keys (
        webhook_id bigint not null,
        key text collate "C" not null,
        tenant_id bigint not null,
        is_new boolean not null default true,                           -- nobody has met it yet
        primary key (webhook_id, key)
      ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
      -- The open deliveries of a key, in the order of commits. The first one is its head: its turn has come.
      create table hookwright.ordering_queue (
        webhook_id bigint not null,
        key text collate "C" not null,
        position bigint not null,
        delivery_id bigint not null,
        tenant_id bigint not null,
        blocked_at timestamptz,                                         -- it has failed, and nothing goes on
        primary key (webhook_id, key, position)
      ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
      create unique index ordering_queue_delivery on hookwright.ordering_queue (tenant_id, delivery_id);
      create index ordering_queue_blocked on hookwright.ordering_queue (webhook_id) where blocked_at is not null;
      create sequence hookwright.ordering_position as bigint cache 1;
      ${['ordering_keys', 'ordering_queue'].map(isolated).join('\n')}
      create view hookwright.all_ordering_queue as
        select tenant_id, webhook_id, delivery_id from hookwright.ordering_queue
        where hookwright.current_tenant() = 0;
      grant select on hookwright.ordering_queue, hookwright.all_ordering_queue to hookwright_api;
    `);
  }
}
