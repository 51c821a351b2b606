import { Migration } from '@mikro-orm/migrations';

/** Tenants that move to another cell, or have moved (docs/decisions/0099). */
export class TenantMoves extends Migration {
  override up(): void {
    this.addSql(`
      -- Null: the tenant lives here. DRAINING: its daemons begin nothing. CLOSED: it takes no events either. GONE: it
      -- lives in the cell that tenant_moves says.
      alter table hookwright.tenants
        add column moving text;
      -- Whether tenants.moving is set, for what reads a webhook and not its tenant.
      alter table hookwright.webhooks add column moving boolean not null default false;

      -- A row in each of the two databases for each move. The row of the target is written in the transaction that
      -- brings the tenant, or says ABORTED: only one of both can be inserted.
      create table hookwright.tenant_moves (
        token uuid primary key,
        tenant_id bigint not null,
        direction text not null check (direction in ('OUT', 'IN')),
        cell integer not null,                  -- the other one
        state text not null check (state in
          ('COPYING', 'DRAINING', 'CLOSED', 'COMMITTING', 'OPEN', 'DONE', 'ABORTED')),
        copied_before timestamptz,              -- closed deliveries until then are copied before the tenant is closed
        day_done date,                          -- the oldest day whose deliveries and events are copied
        forget_at timestamptz,                  -- when what is left of it in the source goes
        started_at timestamptz not null default now(),
        changed_at timestamptz not null default now()
      );
      create unique index one_move_of_a_tenant on hookwright.tenant_moves (tenant_id)
        where state in ('COPYING', 'DRAINING', 'CLOSED', 'COMMITTING');
      create index moves_of_a_tenant on hookwright.tenant_moves (tenant_id);
      create index moves_to_forget on hookwright.tenant_moves (forget_at) where direction = 'OUT' and state = 'OPEN';

      -- Keys of tenants that moved away. Their rows stay for ever, so that an old list of the proxy is seen.
      create table hookwright.moved_keys (key_id bigint primary key, cell integer not null);
      create view hookwright.moved_tenants as
        select tenant_id, cell
        from (
          select distinct on (tenant_id) tenant_id, direction, cell from hookwright.tenant_moves
          where state in ('OPEN', 'DONE')
          order by tenant_id, started_at desc
        ) latest
        where direction = 'OUT';                -- not that of a tenant that came back
      grant select on hookwright.moved_keys, hookwright.moved_tenants to hookwright_api;
    `);
  }
}
