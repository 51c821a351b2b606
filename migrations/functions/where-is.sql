-- The look-up of a number over all tenants, for a platform key that has it from a customer's log.

-- The tenant and the time of everything with this number; of attempts the one of this delivery. No tenant: it belongs
-- to the installation. No time: the number contains it. Empty in a transaction for a tenant, and without what was
-- deleted.
create or replace function hookwright.where_is(wanted bigint, attempt integer)
returns table (kind text, tenant_id bigint, created_at timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, hookwright, pg_temp as $$
#variable_conflict use_column
begin
  return query select found.* from (
    select 'Webhook', w.tenant_id, w.created_at from hookwright.webhooks w where w.id = wanted and w.deleted_at is null
    union all
    select 'BulkOperation', o.tenant_id, o.created_at from hookwright.bulk_operations o where o.id = wanted
    union all
    select 'Tenant', t.id, t.created_at from hookwright.tenants t where t.id = wanted
    union all
    select case when k.portal_id is null then 'ApiKey' else 'PortalSession' end, k.tenant_id, k.created_at
      from hookwright.api_keys k where k.id = wanted
    union all
    select 'AuditEntry', a.tenant_id, a.created_at from hookwright.audit_log a where a.id = wanted
  ) as found (kind, tenant_id, created_at)
  where hookwright.current_tenant() = 0 and (found.tenant_id is null or exists (
    select from hookwright.tenants t where t.id = found.tenant_id and t.deleted_at is null));
  -- Numbers that count from 1 contain no time. Planning a look into all days takes longer than everything else.
  if wanted >= hookwright.id_at('2025-01-02') then
    return query select found.* from (
      select 'Delivery', d.tenant_id, null::timestamptz from hookwright.deliveries d where d.id = wanted
      -- The key of events begins with the tenant, so all tenants are looked up, in the partition of one day. In the
      -- order of the key this reads no page of it twice (since Postgres 17, else it takes a look-up for each tenant).
      union all
      select 'Event', e.tenant_id, null from hookwright.events e
        where e.tenant_id = any(array(select t.id from hookwright.tenants t order by t.id)) and e.id = wanted
      union all
      select 'Attempt', a.tenant_id, a.started_at from hookwright.attempts a
        where a.delivery_id = wanted and a.number = attempt
    ) as found (kind, tenant_id, created_at)
    where hookwright.current_tenant() = 0 and exists (
      select from hookwright.tenants t where t.id = found.tenant_id and t.deleted_at is null);
  end if;
end $$;

grant execute on function hookwright.where_is to hookwright_api;
