import { Migration } from '@mikro-orm/migrations';

/** Deliveries that wait until their key is quiet (docs/decisions/0093). */
export class Settling extends Migration {
  override up(): void {
    this.addSql(`
      alter table hookwright.webhook_options
        add column ordering_settle_seconds double precision,
        add column ordering_settle_max_seconds double precision;        -- null: ten times as long
      alter table hookwright.deliveries
        add column settling_since timestamptz,  -- null: it does not settle; else since when its key is not quiet
        add column superseded_by bigint;        -- the delivery that took its place
    `);
  }
}
