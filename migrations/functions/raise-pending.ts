/**
 * Raises the operational events whose causes were only counted so far, once their minute is over.
 *
 * @returns how many events it raised
 */
export const raisePending = `
create or replace function hookwright.raise_pending(at_most integer) returns integer
language plpgsql as $$
declare
  known hookwright.raised_events;
  raised integer := 0;
begin
  for known in
    select * from hookwright.raised_events r
    where r.pending > 0 and not hookwright.raised_lately(r.raised_at)
    order by r.webhook_id, r.event_type limit at_most for update skip locked
  loop
    perform hookwright.raise_now(known);
    raised := raised + 1;
  end loop;
  return raised;
end $$;

revoke execute on function hookwright.raise_pending from public;
`;
