import { Migration } from '@mikro-orm/migrations';
import { install } from './sql-files.js';

/** A held delivery that was never attempted is superseded like those that wait behind it. */
export class SupersededHeads extends Migration {
  override up(): void {
    this.addSql(install(['ordering']));
  }
}
