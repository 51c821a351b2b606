/**
 * Raises operational events: at most one a minute for each webhook and type. Causes within that minute are counted,
 * and `raise_pending` raises one event for them when the minute is over.
 *
 * Each item is a webhook with its tenant, the type, the body as JSON text without the count, and how often it
 * happened. There is at most one item for each webhook and type. The statement that makes a row locks it as well, so
 * that no cause is forgotten in between.
 */
export const raiseEvents = `
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

revoke execute on function hookwright.raise_events from public;
`;
