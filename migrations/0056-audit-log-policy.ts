import { Migration } from '@mikro-orm/migrations';

/**
 * Shows the API the same entries as before. Postgres takes an equation with `coalesce` to leave one row in 200, and so
 * read and sorted all entries of a tenant for a page of the newest. About a `case` it assumes nothing.
 */
export class AuditLogPolicy extends Migration {
  override up(): void {
    this.addSql(`
      alter policy one_tenant on hookwright.audit_log using (
        case when tenant_id is null then hookwright.current_tenant() = 0
             else tenant_id = hookwright.current_tenant() end)`);
  }
}
