/**
 * `emit_events` with the W3C trace context of each item; null where it is not sampled. A duplicate keeps the trace of
 * its first emit.
 */
export const emitTracedEvents = `
create or replace function hookwright.emit_traced_events(
  tenant_ids bigint[], event_types text[], bodies text[], idempotency_keys text[], only_webhook_ids bigint[],
  priorities integer[], traceparents text[]
) returns table (item integer, event_id bigint, delivery_count integer, duplicate boolean, error_code text)
language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
#variable_conflict use_column
begin
  return query
  with emitted as materialized (
    select e.item, e.event_id, e.delivery_count, e.duplicate, e.error_code
    from hookwright.emit_events(tenant_ids, event_types, bodies, idempotency_keys, only_webhook_ids, priorities,
                                schema_checked => true) e
  ),
  traced as (
    insert into hookwright.event_traces (event_id, tenant_id, traceparent)
    select e.event_id, tenant_ids[e.item + 1], traceparents[e.item + 1]
    from emitted e
    where e.error_code is null and not e.duplicate and traceparents[e.item + 1] is not null
    -- After the clock was set back, an event of another tenant can have the same id: then this one is not traced.
    on conflict (event_id) do nothing
  )
  select e.item, e.event_id, e.delivery_count, e.duplicate, e.error_code from emitted e;
end $$;

revoke execute on function hookwright.emit_traced_events from public;
grant execute on function hookwright.emit_traced_events to hookwright_api;
`;
