import { Migration } from '@mikro-orm/migrations';

/**
 * What the deliveries explorer needs: where an attempt's time went, and indexes for what is rare among millions. The
 * indexes hold failures and cancellations alone, so a delivery that succeeds at once costs nothing more.
 */
export class Explorer extends Migration {
  override up(): void {
    this.addSql(`
      alter table hookwright.attempts
        add column dns_ms integer,                        -- null: no name to resolve, or the connection was there already
        add column connect_ms integer,
        add column tls_ms integer,
        add column first_byte_ms integer;

      -- In the order of ids, with what is asked for in the index itself: what does not fit is passed over there, without
      -- a look at the row. (A division by 100 would serve classes better, but no index is used for what could tell other
      -- tenants' rows by an error, and division can.)
      create index deliveries_errors on hookwright.deliveries (tenant_id, id desc, last_error_code, last_status_code)
        where last_error_code is not null;

      create index webhooks_deleted on hookwright.webhooks (tenant_id, deleted_at) where deleted_at is not null;

      -- What a webhook was at a moment is told by the first change after it.
      create index audit_log_webhook_changes on hookwright.audit_log (tenant_id, target_id, created_at)
        where target_type = 'WEBHOOK' and action in ('WEBHOOK_UPDATED', 'WEBHOOK_DISABLED');

      -- The API reads no keys, not even those of its tenant: it asks for the event of one that the caller knows.
      create function hookwright.event_of_key(wanted text) returns bigint
      language sql stable security definer set search_path = pg_catalog, hookwright, pg_temp as $$
        select k.event_id from hookwright.idempotency_keys k
        where k.tenant_id = hookwright.current_tenant() and k.key = wanted
      $$;
      revoke execute on function hookwright.event_of_key(text) from public;
      grant execute on function hookwright.event_of_key(text) to hookwright_api;
    `);
  }
}
