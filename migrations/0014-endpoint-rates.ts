import { Migration } from '@mikro-orm/migrations';

/** The rates that webhooks allow: daemons take the times of their requests from one row for each webhook. */
export class EndpointRates extends Migration {
  override up(): void {
    this.addSql(`
      -- Unlogged: after a crash of the server each rate begins again, with a burst.
      create unlogged table hookwright.endpoint_rates (
        webhook_id bigint primary key references hookwright.webhooks on delete cascade,
        next_at timestamptz not null                      -- the first time that no daemon has taken
      ) with (fillfactor = 50);
    `);
  }
}
