import { Migration } from '@mikro-orm/migrations';

/** The session in which a key was made, and with which it ends; and the keys that are sessions of the console. */
export class Sessions extends Migration {
  override up(): void {
    this.addSql(`
      alter table hookwright.api_keys
        -- The session of the portal or console in which the key or session was made, also by keys that were made in
        -- it; null: in none. A session that has made one is kept, because the audit log names it.
        add column made_in bigint references hookwright.api_keys on delete set null,
        add column console_session boolean not null default false;
      create index api_keys_made_in on hookwright.api_keys (made_in) where made_in is not null;
      -- Portal sessions that count as active (activeSessions in src/entities/api-key.ts). The index
      -- api_keys_portal_active stays for processes of version 0.1.0.
      create index api_keys_portal_open on hookwright.api_keys
        (tenant_id, (case when portal_exchanged_at is null then portal_code_expires_at else expires_at end))
        where revoked_at is null and portal_id is not null;
    `);
  }
}
