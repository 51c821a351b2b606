import { Migration } from '@mikro-orm/migrations';
import { isolated } from './isolated.js';

/**
 * The rates of limited tenants (docs/decisions/0092): API processes lease events from one row for each tenant, and
 * daemons take the times of requests from it. Unlogged: after a crash of the server each rate begins again.
 */
export class TenantRates extends Migration {
  override up(): void {
    this.addSql(`
      create unlogged table hookwright.tenant_rates (
        tenant_id bigint primary key,
        events_next_at timestamptz not null default '-infinity',   -- when the next event is due at the tenant's rate
        requests_next_at timestamptz not null default '-infinity'  -- the first time that no daemon has taken
      ) with (fillfactor = 50);

      -- Events that applications have emitted for limited tenants, until they are counted. A row for each call:
      -- a row for each tenant would be locked until the application commits.
      create unlogged table hookwright.outbox_emits (
        tenant_id bigint not null,
        events integer not null,
        emitted_at timestamptz not null default now()
      );
      create index outbox_emits_by_tenant on hookwright.outbox_emits (tenant_id);
      create index outbox_emits_by_time on hookwright.outbox_emits (emitted_at);
      ${isolated('tenant_rates')}
      ${isolated('outbox_emits')}
    `);
  }
}
