-- Questions about a delivery or a webhook at the moment of the call.

-- Whether a delivery that is open now was open at the time in the id "bound": it was neither made, redelivered nor
-- tried since (docs/decisions/0021). A new one and a redelivered one are due at once, so their due time is that of the
-- request. Its id says less: with cells it may be 256 ms later or earlier (docs/decisions/0098).
create or replace function hookwright.open_since(
  delivery_id bigint, attempt_count integer, attempts_before integer, due_at timestamptz, bound bigint
) returns boolean
language plpgsql stable as $$
begin
  if attempt_count = attempts_before then
    return hookwright.id_at(due_at) <= bound;
  end if;
  return not exists (
    select from hookwright.attempts a
    where a.delivery_id = open_since.delivery_id and a.number = open_since.attempt_count
      and hookwright.id_at(a.started_at) > bound);
end $$;

-- Until when a webhook's endpoint is closed. A volatile function has a snapshot of its own: a statement that has waited
-- for locks would see the webhook as it was before.
create or replace function hookwright.opens_at(webhook_id bigint) returns timestamptz
language plpgsql volatile as $$
begin
  return (select w.closed_until from hookwright.webhooks w where w.id = opens_at.webhook_id);
end $$;

-- Whether due deliveries of a webhook wait because its endpoint wants it: it has asked for a pause, it fails and its
-- next probe is still to come, or its requests go out at its rate or its tenant's, whose times are taken as they come.
-- A caller that has named a tenant learns nothing of others.
create or replace function hookwright.endpoint_waits(webhook_id bigint) returns boolean
language plpgsql stable security definer set search_path = pg_catalog, hookwright, pg_temp as $$
begin
  return exists (
    select from hookwright.webhooks w
    left join hookwright.endpoint_rates r on r.webhook_id = w.id
    left join hookwright.tenant_rates t on t.tenant_id = w.tenant_id
    where w.id = endpoint_waits.webhook_id and w.active
      and coalesce(hookwright.current_tenant(), 0) in (0, w.tenant_id)
      and (greatest(w.closed_until, w.next_probe_at) > now() or r.next_at > now() - interval '5 seconds'
           -- Only of a tenant whose requests are limited. A time for one of its endpoints delays the others.
           or t.requests_next_at > now() - interval '5 seconds'));
end $$;

grant execute on function hookwright.endpoint_waits to hookwright_api;
