import { Migration } from '@mikro-orm/migrations';

/**
 * The form in which a webhook's requests are signed as by a former system too, and what daemons know of it: one of a
 * version before writes neither column (docs/decisions/0082).
 */
export class SignatureForms extends Migration {
  override up(): void {
    this.addSql(`
      alter table hookwright.webhook_options add column compat text;
      alter table hookwright.daemons add column knows text[];           -- fields of webhooks that came with a version
      alter table hookwright.daemons add column signature_forms jsonb;  -- the digest of each form that it signs in
    `);
  }
}
