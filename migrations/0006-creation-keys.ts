import { Migration } from '@mikro-orm/migrations';

/**
 * Idempotency keys of requests that have created webhooks. The secret is not here: a repeated request is answered with
 * the webhook's own, if that is still the one of its creation (`secret_digest`, SHA-256 of it as it is sealed).
 */
export class CreationKeys extends Migration {
  override up(): void {
    this.addSql(`
      create table hookwright.creation_keys (
        tenant_id bigint not null,
        api_key_id bigint not null,
        key text not null,
        request_hmac bytea not null,
        webhook_id bigint not null,
        secret_digest bytea not null,
        created_at timestamptz not null default now(),
        primary key (tenant_id, api_key_id, key)
      );
      alter table hookwright.creation_keys enable row level security, force row level security;
      create policy one_tenant on hookwright.creation_keys to hookwright_api
        using (tenant_id = hookwright.current_tenant());
      create policy all_tenants on hookwright.creation_keys to current_user using (true);
      grant select, insert, update on hookwright.creation_keys to hookwright_api;
    `);
  }
}
