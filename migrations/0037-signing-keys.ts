import { Migration } from '@mikro-orm/migrations';

/**
 * Key pairs of tenants, which sign deliveries besides the secrets of webhooks (docs/decisions/0084). Daemons that do
 * not know the option sign by the secret alone.
 */
export class SigningKeys extends Migration {
  override up(): void {
    this.addSql(`
      alter table hookwright.webhook_options add column signing text;
      alter table hookwright.tenants add column signing text;
      grant update (signing) on hookwright.tenants to hookwright_api;
      create index on hookwright.webhook_options (tenant_id) where signing is not null;
      create index on hookwright.tenants (id) where signing is not null;

      create table hookwright.signing_keys (
        tenant_id bigint not null references hookwright.tenants,
        kid text not null,
        jwks_id text not null,                            -- in the address of the tenant's public keys
        public bytea not null,
        sealed bytea not null,                            -- the private half; empty: it was erased
        used_from timestamptz not null,                   -- published before, and signs from then on
        ends_at timestamptz,                              -- no longer published; null: the newest one
        primary key (tenant_id, kid)
      );
      create unique index signing_keys_newest on hookwright.signing_keys (tenant_id) where ends_at is null;
      create index signing_keys_ended on hookwright.signing_keys (ends_at) where ends_at is not null;
      create index signing_keys_jwks on hookwright.signing_keys (jwks_id);
      alter table hookwright.signing_keys enable row level security, force row level security;
      create policy one_tenant on hookwright.signing_keys to hookwright_api
        using (tenant_id = hookwright.current_tenant());
      create policy all_tenants on hookwright.signing_keys to current_user using (true);
      grant select, insert on hookwright.signing_keys to hookwright_api;
      grant update (sealed, ends_at) on hookwright.signing_keys to hookwright_api;

      -- The published halves, for platform keys and for receivers, who have no key at all.
      create view hookwright.all_signing_keys as
        select k.tenant_id, k.kid, k.jwks_id, k.public, k.used_from, k.ends_at
        from hookwright.signing_keys k join hookwright.tenants t on t.id = k.tenant_id
        where t.deleted_at is null and (k.ends_at is null or k.ends_at > now()) and hookwright.current_tenant() = 0;
      grant select on hookwright.all_signing_keys to hookwright_api;
    `);
  }
}
