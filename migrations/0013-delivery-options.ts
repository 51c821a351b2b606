import { Migration } from '@mikro-orm/migrations';

/**
 * How an endpoint is called: columns of the row beside a webhook, null for the default. Emits also return the version
 * of that row, by which daemons keep it (docs/decisions/0052). Secrets in `headers` and `auth` are sealed one by one.
 */
export class DeliveryOptions extends Migration {
  override up(): void {
    this.addSql(`
      alter table hookwright.webhook_options
        add column headers jsonb,
        add column auth jsonb,
        add column timeout_ms integer,
        add column retry_delays_seconds integer[],
        add column rate_per_second double precision,
        add column concurrency_max integer,
        add column recovery text;
    `);
  }
}
