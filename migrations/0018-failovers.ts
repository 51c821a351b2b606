import { Migration } from '@mikro-orm/migrations';

/** The last failover that daemons noticed, and outcomes whose deliveries it has lost. */
export class Failovers extends Migration {
  override up(): void {
    this.addSql(`
      alter table hookwright.housekeeping
        add column timeline integer,                      -- of the server, when a daemon last looked
        add column failed_over_at timestamptz,            -- when a daemon found a later timeline; null: never
        add column failed_over_from integer,
        add column failover_was_synchronous boolean,      -- null: no daemon knows
        add column failover_lost_seconds double precision, -- at most; null: no daemon knows
        add column unknown_outcomes integer not null default 0,
        add column unknown_on integer;                    -- the timeline of these outcomes
    `);
  }
}
