/**
 * Writes an event about a webhook, with deliveries and jobs for every other webhook of the tenant that subscribes to
 * it. Nothing is written about a webhook that was deleted. As in `emit_events`, equal ids or a day without a partition
 * must not cost the caller its transaction.
 */
export const writeOperationalEvent = `
create or replace function hookwright.write_operational_event(
  for_tenant bigint, about_webhook bigint, raised_type text, content text
) returns void
language plpgsql as $$
declare
  tries integer := 0;
  violated text;
  queued integer;
begin
  if not exists (select from hookwright.webhooks w
                 where w.id = about_webhook and w.tenant_id = for_tenant and w.deleted_at is null) then
    return;  -- nobody needs to hear of one that was deleted
  end if;
  loop
    begin
      with event as (
        insert into hookwright.events (id, tenant_id, event_type, body)
        values (hookwright.next_id(), for_tenant, raised_type, content) returning id),
      fanned_out as (
        insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status)
        select hookwright.next_id(), for_tenant, event.id, w.id, raised_type,
               case when w.active then 'PENDING' else 'HELD' end::hookwright.delivery_status
        from event, hookwright.webhooks w
        where w.tenant_id = for_tenant and w.deleted_at is null and w.id <> about_webhook
          and (w.event_types = '{*}' or raised_type = any(w.event_types))
          and (w.active or w.hold_until > now())
        returning id, status)
      select hookwright.enqueue_new_deliveries(array_agg(id), array_agg(null::bigint), array_agg(0))
      into queued from fanned_out where status = 'PENDING';
      return;
    exception
      when unique_violation then
        get stacked diagnostics violated = table_name;
        if tries >= 50 or violated !~ '^(events|deliveries)_' then
          raise;
        end if;
      when check_violation then
        if tries >= 3 then
          raise;
        end if;
        perform hookwright.make_partitions(2);
    end;
    tries := tries + 1;
  end loop;
end $$;

revoke execute on function hookwright.write_operational_event from public;
`;
