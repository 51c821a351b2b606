-- Probes of webhooks that failures have disabled.

-- Has the oldest held delivery of a webhook sent, if failures have disabled it and nobody waits for a proof of its
-- endpoint; a test, made like a check, when none is held. The job says that its attempt is a probe. Returns the
-- delivery; null when there is nothing to probe.
create or replace function hookwright.probe_webhook(
  tenant bigint, webhook bigint, type text, event_body text, lane integer
) returns bigint
language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
declare
  delivery bigint;
  attempt integer;
begin
  perform from hookwright.webhooks w join hookwright.tenants t on t.id = w.tenant_id and t.deleted_at is null
  where w.id = webhook and w.tenant_id = tenant and w.deleted_at is null and not w.active
    and w.disabled_reason = 'FAILURES'
    and not exists (
      select from hookwright.verifications v where v.webhook_id = w.id and v.status <> 'VERIFIED')
  for share of w;
  if not found then
    return null;
  end if;
  select d.id, d.attempt_count + 1 into delivery, attempt from hookwright.deliveries d
  where d.webhook_id = webhook and (d.tenant_id = tenant) is true and d.status = 'HELD'
  order by d.id limit 1;
  if not found then
    delivery := hookwright.check_webhook(tenant, webhook, type, event_body, lane);
    attempt := 1;
  end if;
  perform hookwright.enqueue_probe(delivery, attempt, lane);
  return delivery;
end $$;

grant execute on function hookwright.probe_webhook to hookwright_api;
