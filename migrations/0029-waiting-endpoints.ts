import { Migration } from '@mikro-orm/migrations';
import { install } from './functions/index.js';
import { webhookState } from './functions/webhook-state.js';

/** Tells deliveries that wait because their endpoint wants it from those that are late. */
export class WaitingEndpoints extends Migration {
  override up(): void {
    this.addSql(install([webhookState]));
  }
}
