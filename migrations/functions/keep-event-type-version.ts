/** Trigger: keeps every schema that an event type has had. */
export const keepEventTypeVersion = `
create or replace function hookwright.keep_event_type_version() returns trigger
language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
begin
  insert into hookwright.event_type_versions (event_type, version, schema)
  values (new.name, new.version, new.schema) on conflict do nothing;
  return null;
end $$;

revoke execute on function hookwright.keep_event_type_version from public;
`;
