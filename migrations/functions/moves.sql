-- Tenants that move to another cell (docs/decisions/0099). All of this is for the owner.

-- Marks a tenant and all its webhooks, deleted ones too. mark: DRAINING, CLOSED or GONE; null: it lives here. Whoever
-- makes a webhook has the tenant's row locked, so none is missed.
create or replace function hookwright.set_moving(tenant bigint, mark text) returns void
language plpgsql set plan_cache_mode = force_custom_plan as $$
begin
  update hookwright.tenants t set moving = mark where t.id = tenant;
  perform from hookwright.webhooks w
  where w.tenant_id = tenant and w.moving <> (mark is not null) order by w.id for no key update;
  update hookwright.webhooks w set moving = mark is not null
  where w.tenant_id = tenant and w.moving <> (mark is not null);
end $$;
