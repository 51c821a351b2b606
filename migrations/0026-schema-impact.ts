import { Migration } from '@mikro-orm/migrations';
import { install } from './sql-files.js';

/** The look at all tenants before an event type gets another schema (docs/decisions/0067). */
export class SchemaImpact extends Migration {
  override up(): void {
    this.addSql(install(['schema-impact']));
  }
}
