import { Migration } from '@mikro-orm/migrations';

/**
 * The authorities that an endpoint is trusted by and the certificate that its requests show (docs/decisions/0086).
 * While a daemon that does not know them runs, no API sets them.
 */
export class EndpointTls extends Migration {
  override up(): void {
    this.addSql(`
      alter table hookwright.webhook_options
        add column tls jsonb,                             -- the private key in it is sealed
        add column certificate_ends_at timestamptz;       -- of the certificate in it that ends first
    `);
  }
}
