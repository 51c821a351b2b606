import { Migration } from '@mikro-orm/migrations';
import { install } from './functions/index.js';
import { ordering } from './functions/ordering.js';

/** A held delivery that was never attempted is superseded like those that wait behind it. */
export class SupersededHeads extends Migration {
  override up(): void {
    this.addSql(install([ordering]));
  }
}
