-- Tenants and webhooks by external ids (docs/decisions/0081), for callers that row-level security keeps from their
-- tables.

-- The number of the tenant with this external id, for an application's own transaction: every function of the outbox
-- takes it. Raises HW001 unless the role that logged in may emit for the tenant, whether there is one or not.
create or replace function hookwright.tenant_id(external_id text) returns bigint
language plpgsql stable security definer set search_path = pg_catalog, hookwright, pg_temp as $$
declare
  tenant bigint := (
    select t.id from hookwright.tenants t
    where t.external_id = tenant_id.external_id and t.deleted_at is null
      and (hookwright.may_emit_for_all() or exists (
        select from hookwright.outbox_grants g where g.role_name = session_user and g.tenant_id = t.id)));
begin
  if tenant is null then
    perform hookwright.refuse('TENANT_NOT_GRANTED', null, 'docs/outbox.md, "What is refused"');
  end if;
  return tenant;
end $$;

-- The tenant with this external id, and the webhooks of all tenants that have it, the newest 100, for a platform key.
-- Empty in a transaction for a tenant.
create or replace function hookwright.where_is_external(wanted text)
returns table (kind text, number bigint, tenant_id bigint, created_at timestamptz)
language sql stable security definer set search_path = pg_catalog, hookwright, pg_temp as $$
  select 'Tenant', t.id, t.id, t.created_at from hookwright.tenants t
  where hookwright.current_tenant() = 0 and t.external_id = wanted and t.deleted_at is null
  union all (
    select 'Webhook', w.id, w.tenant_id, w.created_at from hookwright.webhook_options o
    join hookwright.webhooks w on w.id = o.webhook_id and w.deleted_at is null
    join hookwright.tenants t on t.id = w.tenant_id and t.deleted_at is null
    where hookwright.current_tenant() = 0 and o.external_id = wanted
    order by w.id desc limit 100)
$$;

grant execute on function hookwright.where_is_external to hookwright_api;
