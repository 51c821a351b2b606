import { Migration } from '@mikro-orm/migrations';
import { install } from './functions/index.js';
import { schemaImpact } from './functions/schema-impact.js';

/** The look at all tenants before an event type gets another schema (docs/decisions/0067). */
export class SchemaImpact extends Migration {
  override up(): void {
    this.addSql(install([schemaImpact]));
  }
}
