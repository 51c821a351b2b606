import { Migration } from '@mikro-orm/migrations';

/**
 * When the keys and webhooks of a deleted tenant are erased, Postgres looks for what refers to each of them: without these
 * it would read the whole log each time.
 */
export class References extends Migration {
  override up(): void {
    this.addSql(`
      create index audit_log_api_key on hookwright.audit_log (api_key_id) where api_key_id is not null;
      create index bulk_operations_api_key on hookwright.bulk_operations (api_key_id) where api_key_id is not null;
      create index bulk_operations_webhook on hookwright.bulk_operations (webhook_id) where webhook_id is not null;
    `);
  }
}
