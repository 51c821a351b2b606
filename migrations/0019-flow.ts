import { Migration } from '@mikro-orm/migrations';
import { install } from './sql-files.js';

const functions = [
  'flow',
  'place-deliveries',
  'write-flow-events',
  'emit-events-once',
  'new-deliveries',
  'operational-events',
];

/**
 * Filters of webhooks, and the way beside the plain one that their tenants' emits take (docs/decisions/0056). Emits of
 * processes that do not know it take it too.
 */
export class Flow extends Migration {
  override up(): void {
    this.addSql(`
      alter table hookwright.webhook_options
        add column filter jsonb,                          -- as it was written
        add column filter_path jsonpath,                  -- the same, compiled
        add column filter_comparisons integer,            -- how many it has
        add column filter_compiling integer;              -- comparisons that take as long as compiling its texts
      alter table hookwright.webhooks
        add column plain boolean not null default true;   -- it has no filter
      create index webhooks_not_plain on hookwright.webhooks (tenant_id) where not plain;
      -- For 0020 and 0022. The functions have their newest text here, and running processes call them from here on.
      alter table hookwright.deliveries
        add column content_id bigint,                     -- null: the plain payload
        add column ordering_key text;                     -- null: unordered; empty: the whole endpoint
      alter table hookwright.webhook_options
        add column content_id bigint,                     -- null: the plain payload
        add column ordering_by text;                      -- null: NOTHING
      alter table hookwright.tenants
        add column uses_flow boolean not null default false; -- one of its webhooks is not plain
      -- It gets an argument more.
      drop function if exists hookwright.emit_events_once(bigint[], text[], text[], text[], bigint[], integer[], text[],
        text, integer, integer);
      ${install(functions)}
      -- Previews, and counts of events to replay.
      grant execute on function hookwright.readable_body(text, bigint), hookwright.passes_filter(jsonb, jsonpath, text)
        to hookwright_api;
      create trigger note_flow_of_new after insert on hookwright.webhook_options referencing new table as changed
        for each statement execute function hookwright.note_flow();
      create trigger note_flow_of_changed after update on hookwright.webhook_options referencing new table as changed
        for each statement execute function hookwright.note_flow();
      create trigger note_flow_of_gone after delete on hookwright.webhook_options referencing old table as changed
        for each statement execute function hookwright.note_flow();
    `);
  }
}
