import { Migration } from '@mikro-orm/migrations';

/** Values of enums, which Postgres takes only in later transactions (0022). */
export class Waiting extends Migration {
  override up(): void {
    this.addSql(`
      alter type hookwright.delivery_status add value 'WAITING';
      alter type hookwright.cancel_reason add value 'SUPERSEDED';
    `);
  }
}
