import { Migration } from '@mikro-orm/migrations';
import { install } from './sql-files.js';

/** A portal session that begins when its invitation is opened (begin_portal_session). */
export class Invitations extends Migration {
  override up(): void {
    this.addSql(install(['callers']));
  }
}
