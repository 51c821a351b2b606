import { Migration } from '@mikro-orm/migrations';

/** Endpoints that are called by PUT or PATCH. Daemons that do not know the option send POST. */
export class DeliveryMethod extends Migration {
  override up(): void {
    this.addSql(`
      alter table hookwright.webhook_options add column method text;
      alter table hookwright.attempts add column method text;           -- null: POST
      alter table hookwright.attempts alter method set statistics 0;    -- no query searches by it
    `);
  }
}
