import { Migration } from '@mikro-orm/migrations';

/** For a statement that has waited for locks: it would see a webhook as it was before. */
export class OpensAt extends Migration {
  override up(): void {
    this.addSql(`
      -- Until when a webhook's endpoint is closed, as it is at the call: a volatile function has a snapshot of its own.
      create function hookwright.opens_at(webhook_id bigint) returns timestamptz
      language plpgsql volatile as $$
      begin
        return (select w.closed_until from hookwright.webhooks w where w.id = opens_at.webhook_id);
      end $$;
      revoke execute on function hookwright.opens_at(bigint) from public;
    `);
  }
}
