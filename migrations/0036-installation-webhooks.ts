import { Migration } from '@mikro-orm/migrations';

/** The doctor's checks as webhooks of the installation were sent them last (docs/decisions/0085). */
export class InstallationWebhooks extends Migration {
  override up(): void {
    this.addSql(`
      create table hookwright.doctor_findings (
        name text primary key,                            -- of the check
        status text not null,                             -- as it was sent: ok, warn, fail
        sent_at timestamptz not null default now()
      );
    `);
  }
}
