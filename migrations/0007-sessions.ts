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
    `);
  }
}
