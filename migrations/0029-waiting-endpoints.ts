import { Migration } from '@mikro-orm/migrations';
import { install } from './sql-files.js';

/** Whether due deliveries of a webhook are late, or wait because its endpoint wants it. */
export class WaitingEndpoints extends Migration {
  override up(): void {
    this.addSql(install(['webhook-state']));
  }
}
