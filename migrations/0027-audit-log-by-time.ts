import { Migration } from '@mikro-orm/migrations';

/** A short time of a long audit log is found by itself: its ids say nothing of when. */
export class AuditLogByTime extends Migration {
  override up(): void {
    this.addSql('create index audit_log_time on hookwright.audit_log (tenant_id, created_at)');
  }
}
