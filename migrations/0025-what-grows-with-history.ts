import { Migration } from '@mikro-orm/migrations';

/** What a tenant has had does not slow down what it does now, and what is being forgotten is not lost. */
export class WhatGrowsWithHistory extends Migration {
  override up(): void {
    this.addSql(`
      -- Ended keys stay: the audit log names them. A tenant that makes one for each session has many.
      create index api_keys_active on hookwright.api_keys (tenant_id, (coalesce(expires_at, 'infinity')))
        where revoked_at is null;

      -- As in 0012, but the row is locked by the statement that makes it, so that it cannot be forgotten in between.
      create or replace function hookwright.raise_events(
        tenant_ids bigint[], webhook_ids bigint[], event_types text[], bodies text[], counts integer[]
      ) returns void
      language plpgsql as $$
      #variable_conflict use_column
      declare
        cause record;
        known hookwright.raised_events;
      begin
        for cause in
          select * from unnest(tenant_ids, webhook_ids, event_types, bodies, counts)
                   as c(tenant_id, webhook_id, event_type, body, count)
          order by webhook_id, event_type
        loop
          insert into hookwright.raised_events as r (tenant_id, webhook_id, event_type)
          values (cause.tenant_id, cause.webhook_id, cause.event_type)
          on conflict (webhook_id, event_type) do update set tenant_id = excluded.tenant_id
          returning r.* into known;
          if hookwright.raised_lately(known.raised_at) then
            update hookwright.raised_events r set pending = r.pending + cause.count, pending_body = cause.body
            where r.webhook_id = known.webhook_id and r.event_type = known.event_type;
          else
            known.pending := known.pending + cause.count;
            known.pending_body := cause.body;
            perform hookwright.raise_now(known);
          end if;
        end loop;
      end $$;
    `);
  }
}
