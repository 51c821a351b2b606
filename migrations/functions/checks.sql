-- Checks of webhooks.

-- Writes a check of a webhook: an event for this webhook alone, and a delivery that is sent once even though the
-- webhook is inactive, with its job. Returns the delivery; null when the tenant has no such webhook.
create or replace function hookwright.check_webhook(
  tenant bigint, webhook bigint, type text, event_body text, lane integer
) returns bigint
language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
declare
  event bigint := hookwright.next_id();
  delivery bigint := hookwright.next_id();
begin
  perform from hookwright.webhooks w join hookwright.tenants t on t.id = w.tenant_id and t.deleted_at is null
  where w.id = webhook and w.tenant_id = tenant and w.deleted_at is null;
  if not found then
    return null;
  end if;
  insert into hookwright.events (id, tenant_id, event_type, body, only_webhook_id, type_version)
  values (event, tenant, type, event_body, webhook,
          (select nullif(t.version, 1) from hookwright.event_types t where t.name = type));
  insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status, due_at, is_check,
                                     content_id)
  values (delivery, tenant, event, webhook, type, 'PENDING', clock_timestamp(), true,
          (select o.content_id from hookwright.webhook_options o where o.webhook_id = webhook));
  perform hookwright.enqueue_new_deliveries(array[delivery], array[null::bigint], array[lane]);
  return delivery;
end $$;

grant execute on function hookwright.check_webhook to hookwright_api;
