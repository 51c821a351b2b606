import { Migration } from '@mikro-orm/migrations';

/**
 * When the first failure of a webhook's streak ended, and whether the requests that it cut short have been counted
 * (src/domain/deliveries/health.ts). Both have a meaning while there are failures. A process that does not know them
 * leaves them as they are: then failures count as they did before.
 */
export class FailureStreaks extends Migration {
  override up(): void {
    this.addSql(`
      alter table hookwright.webhooks
        add column streak_began_at timestamptz,
        add column cut_counted boolean not null default false;
    `);
  }
}
