/**
 * Until when a webhook's endpoint is closed, at the moment of the call. A volatile function has a snapshot of its own:
 * a statement that has waited for locks would see the webhook as it was before.
 */
export const opensAt = `
create or replace function hookwright.opens_at(webhook_id bigint) returns timestamptz
language plpgsql volatile as $$
begin
  return (select w.closed_until from hookwright.webhooks w where w.id = opens_at.webhook_id);
end $$;

revoke execute on function hookwright.opens_at from public;
`;
