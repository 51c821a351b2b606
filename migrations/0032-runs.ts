import { Migration } from '@mikro-orm/migrations';

/**
 * An attempt that was begun before a redelivery, and ends after it, is told from those of the new run also where it was the
 * first of its own.
 */
export class Runs extends Migration {
  override up(): void {
    this.addSql(`
      alter table hookwright.deliveries add column run integer not null default 0;
      comment on column hookwright.deliveries.run is 'how often it was redelivered';
    `);
  }
}
