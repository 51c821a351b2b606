/** Attempts that a person asks for: of deliveries that wait, and checks of webhooks. */
export const askedAttempts = `
-- Makes pending deliveries of a tenant due now, with jobs in place of theirs, and returns the ids of those. The caller
-- has locked them in the order of ids. A delivery whose job is in hand is left out: its attempt is being made. A pause
-- that the endpoint asked for still holds.
create or replace function hookwright.attempt_now(tenant bigint, delivery_ids bigint[], priorities integer[])
returns bigint[]
language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp
set plan_cache_mode = force_custom_plan as $$
declare
  job_keys text[] := array(
    select unnest(array['d:' || d.id, 'g:' || d.job_group]) from hookwright.deliveries d
    where d.id = any(delivery_ids) and (d.tenant_id = tenant) is true);
  free_keys text[] := array(
    select key from hookwright_jobs._private_jobs where key = any(job_keys) and locked_at is null
    order by key for update skip locked);
  keys_in_hand text[] := array(
    select key from hookwright_jobs._private_jobs
    where key = any(job_keys) and key <> all(free_keys) and attempts < max_attempts);
  due record;
begin
  with moved as (
    update hookwright.deliveries d
    set due_at = least(d.due_at, clock_timestamp()), job_group = null
    from unnest(delivery_ids, priorities) as asked(id, priority)
    where d.id = asked.id and d.id = any(delivery_ids) and (d.tenant_id = tenant) is true
      and (d.status = 'PENDING') is true
      and 'd:' || d.id <> all(keys_in_hand) and coalesce('g:' || d.job_group, '') <> all(keys_in_hand)
    returning d.id, d.attempt_count + 1 as attempt, asked.priority,
              greatest(now(), hookwright.opens_at(d.webhook_id)) as run_at)
  select array_agg(id order by id) as ids, array_agg(attempt order by id) as attempts,
         array_agg(run_at order by id) as run_ats, array_agg(priority order by id) as priorities
  into due from moved;
  perform hookwright.enqueue_deliveries(due.ids, due.attempts, due.run_ats, due.priorities);
  return coalesce(due.ids, '{}');
end $$;

-- Writes a check of a webhook: an event for this webhook alone, and a delivery that is sent once even though the webhook
-- is inactive, with its job. Returns the delivery; null when the tenant has no such webhook.
create or replace function hookwright.check_webhook(tenant bigint, webhook bigint, type text, event_body text, lane integer)
returns bigint
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
  insert into hookwright.events (id, tenant_id, event_type, body, only_webhook_id)
  values (event, tenant, type, event_body, webhook);
  insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status, due_at, is_check)
  values (delivery, tenant, event, webhook, type, 'PENDING', clock_timestamp(), true);
  perform hookwright.enqueue_new_deliveries(array[delivery], array[null::bigint], array[lane]);
  return delivery;
end $$;

grant execute on function hookwright.attempt_now, hookwright.check_webhook to hookwright_api;
`;
