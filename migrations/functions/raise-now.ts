/**
 * Writes the operational event of a row of `raised_events`, with the count of its causes, and starts the next minute.
 */
export const raiseNow = `
create or replace function hookwright.raise_now(known hookwright.raised_events) returns void
language plpgsql as $$
begin
  perform hookwright.write_operational_event(known.tenant_id, known.webhook_id, known.event_type,
    left(known.pending_body, -1) || ',"count":"' || known.pending || '"}');
  update hookwright.raised_events r set raised_at = clock_timestamp(), pending = 0, pending_body = null
  where r.webhook_id = known.webhook_id and r.event_type = known.event_type;
end $$;

revoke execute on function hookwright.raise_now from public;
`;
