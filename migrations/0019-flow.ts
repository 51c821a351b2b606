import { Migration } from '@mikro-orm/migrations';

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
      alter table hookwright.tenants
        add column uses_flow boolean not null default false; -- one of its webhooks is not plain
    `);
  }
}
