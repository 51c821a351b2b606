import { Migration } from '@mikro-orm/migrations';
import { isolated } from './isolated.js';

/** Deliveries that stay behind when their tenant moves to another cell (docs/decisions/0099). */
export class MovedDeliveries extends Migration {
  override up(): void {
    this.addSql(`
      alter type hookwright.cancel_reason add value 'MOVED';
      -- Since when it has its state: changed_at is renewed by the mover.
      alter table hookwright.tenant_moves add column state_since timestamptz not null default now();
      ${isolated('tenant_moves')}
      create index tenants_moving on hookwright.tenants (id) where moving is not null;
    `);
  }
}
