import { Migration } from '@mikro-orm/migrations';

/** The value of an enum, which Postgres takes only in later transactions (docs/decisions/0088). */
export class Unverified extends Migration {
  override up(): void {
    this.addSql(`alter type hookwright.disabled_reason add value 'UNVERIFIED';`);
  }
}
