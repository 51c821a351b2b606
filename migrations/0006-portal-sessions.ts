import { Migration } from '@mikro-orm/migrations';
import { beginPortalSession } from './functions/begin-portal-session.js';
import { findApiKey } from './functions/find-api-key.js';
import { findPortalSession } from './functions/find-portal-session.js';

/** A session of the portal is an API key that begins when its code is exchanged (docs/decisions/0036). */
export class PortalSessions extends Migration {
  override up(): void {
    this.addSql(`
      alter table hookwright.api_keys
        add column portal_id text,                        -- in the url of the session; null: an ordinary key
        add column portal_code_hash bytea,                -- SHA-256 of the code in the url
        add column portal_code_expires_at timestamptz,
        add column portal_exchanged_at timestamptz,       -- when the code was exchanged; hash is none of a key before
        add column portal_settings text,                  -- JSON: src/domain/keys/portal-session.ts
        add constraint api_keys_portal check (
          (portal_id is null) = (portal_code_hash is null) and (portal_id is null) = (portal_code_expires_at is null)
          and (portal_id is null) = (portal_settings is null)
          and (portal_id is null or tenant_id is not null and expires_at is not null)
          and (portal_exchanged_at is null or portal_id is not null)
        ) not valid;
      create unique index api_keys_portal_id on hookwright.api_keys (portal_id) where portal_id is not null;
      -- The lists of keys and of sessions, the sessions to forget; and how many of each can be used now.
      create index api_keys_ordinary on hookwright.api_keys (tenant_id, id desc) where portal_id is null;
      create index api_keys_portal on hookwright.api_keys (tenant_id, id desc) where portal_id is not null;
      create index api_keys_portal_ended on hookwright.api_keys (expires_at) where portal_id is not null;
      drop index hookwright.api_keys_active;
      create index api_keys_active on hookwright.api_keys (tenant_id, (coalesce(expires_at, 'infinity')))
        where revoked_at is null and portal_id is null;
      create index api_keys_portal_active on hookwright.api_keys (tenant_id, (coalesce(expires_at, 'infinity')))
        where revoked_at is null and portal_id is not null;

      -- Not valid: what is there was judged by a narrower rule, and the log may be long.
      alter table hookwright.audit_log drop constraint audit_log_actor_check;
      alter table hookwright.audit_log add constraint audit_log_actor_check check
        (actor in ('TENANT_KEY', 'PLATFORM_KEY', 'PORTAL_SESSION', 'COMMAND_LINE', 'SERVICE')) not valid;

      drop function hookwright.find_api_key(bigint);      -- it gives one column more
    `);
    this.addSql(findApiKey);
    this.addSql(findPortalSession);
    this.addSql(beginPortalSession);
  }
}
