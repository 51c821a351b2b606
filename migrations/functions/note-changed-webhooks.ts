/** Trigger: writes down for live updates which webhooks a statement has changed (docs/decisions/0014). */
export const noteChangedWebhooks = `
create or replace function hookwright.note_changed_webhooks() returns trigger
language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
begin
  insert into hookwright.changes (tenant_id, kind, ids, webhook_ids)
  select tenant_id, 'WEBHOOK', array_agg(id), array_agg(id) from changed group by tenant_id;
  if found then
    perform pg_notify('hookwright_changes', '');
  end if;
  return null;
end $$;

revoke execute on function hookwright.note_changed_webhooks from public;
`;
