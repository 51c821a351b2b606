import { Migration } from '@mikro-orm/migrations';
import { callers } from './functions/callers.js';
import { install } from './functions/index.js';

/** A portal session that begins when its invitation is opened (begin_portal_session). */
export class Invitations extends Migration {
  override up(): void {
    this.addSql(install([callers]));
  }
}
