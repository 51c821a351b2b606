import { Migration } from '@mikro-orm/migrations';

/** The few webhooks whose endpoints asked for a pause are found without reading the others. */
export class ClosedWebhooks extends Migration {
  override up(): void {
    this.addSql(
      'create index webhooks_closed on hookwright.webhooks (closed_until) where closed_until is not null;',
    );
  }
}
