import { Migration } from '@mikro-orm/migrations';
import { repeatedKeys } from './0030-repeated-keys.js';
import { emitEventsOnce } from './sql/emit-events-once.js';

/**
 * Tenants can be deleted: nobody reaches one from then on, its name is free, and the row goes with the rest of its data
 * when the retention ends. And a platform key that names no tenant sees which ones there are.
 */
export class DeletedTenants extends Migration {
  override up(): void {
    this.addSql(`
      alter table hookwright.tenants add column deleted_at timestamptz, drop constraint tenants_name_key;
      create unique index tenants_name on hookwright.tenants (name) where deleted_at is null;
      create index tenants_deleted on hookwright.tenants (deleted_at) where deleted_at is not null;
      create policy platform on hookwright.tenants for select to hookwright_api
        using (hookwright.current_tenant() = 0);
      grant update (deleted_at) on hookwright.tenants to hookwright_api;

      ${emitEventsOnce({ ...repeatedKeys, tenants: 'and t.deleted_at is null' })}
    `);
  }
}
