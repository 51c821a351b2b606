import { Migration } from '@mikro-orm/migrations';

/** Shapes of payloads (docs/decisions/0059). Daemons that do not know them send whole payloads. */
export class Shapes extends Migration {
  override up(): void {
    this.addSql(`
      alter table hookwright.webhook_options add column shape json;    -- its text, and the plan made of it
      alter table hookwright.webhook_contents add column shape json;   -- the plan
      create view hookwright.all_shapes as
        select o.tenant_id, o.webhook_id, o.shape
        from hookwright.webhook_options o
        join hookwright.webhooks w on w.id = o.webhook_id and w.deleted_at is null
        where o.shape is not null and hookwright.current_tenant() = 0;
      grant select on hookwright.all_shapes to hookwright_api;
    `);
  }
}
