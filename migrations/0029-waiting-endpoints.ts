import { Migration } from '@mikro-orm/migrations';
import { install } from './functions/index.js';
import { webhookState } from './functions/webhook-state.js';

/** Whether due deliveries of a webhook are late, or wait because its endpoint wants it. */
export class WaitingEndpoints extends Migration {
  override up(): void {
    this.addSql(install([webhookState]));
  }
}
