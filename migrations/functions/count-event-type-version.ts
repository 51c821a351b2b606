/** Trigger: numbers the versions of an event type's schema. A trigger, so that no writer can forget it. */
export const countEventTypeVersion = `
create or replace function hookwright.count_event_type_version() returns trigger
language plpgsql as $$
begin
  new.version := case when tg_op = 'INSERT' then 1
                      else old.version + (new.schema <> old.schema)::integer end;
  return new;
end $$;

revoke execute on function hookwright.count_event_type_version from public;
`;
