-- Converters of payloads (docs/decisions/0094).

-- Gives a version of an event type its converter, once and for all. later: only for events of the time that begins in
-- a minute, when every process knows it, because an event that was sent before is sent again as it was.
--
-- Returns whether it did: there is such a version, and it had none. In a transaction for the installation alone.
create or replace function hookwright.set_converter(of_type text, of_version integer, steps json, later boolean)
returns boolean
language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
begin
  update hookwright.event_type_versions v
  set converter = steps,
      converter_from = case when later then hookwright.id_at(clock_timestamp() + interval '1 minute') end
  where hookwright.current_tenant() = 0 and v.event_type = of_type and v.version = of_version and v.version > 1
    and v.converter is null;
  return found;
end $$;

grant execute on function hookwright.set_converter to hookwright_api;
