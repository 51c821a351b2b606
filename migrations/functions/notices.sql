-- Requests for the confirmation of an address, which are counted over all tenants.

-- Notes that the current tenant has a mail sent to an address that is not confirmed. False: the address has got three
-- in a day, from whatever tenant, or the tenant has had 40 sent. What stands behind a plus leads to the same mailbox.
create or replace function hookwright.note_confirmation_request(address text) returns boolean
language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
#variable_conflict use_column
declare
  hashed bytea := sha256(convert_to(regexp_replace(lower(address), '[+][^@]*@', '@'), 'UTF8'));
  tenant bigint := hookwright.current_tenant();
begin
  perform pg_advisory_xact_lock(hashtextextended('hookwright/confirmation/' || encode(hashed, 'hex'), 0));
  if (select count(*) from hookwright.confirmation_requests
      where address_hash = hashed and requested_at > now() - interval '1 day') >= 3
    or (select count(*) from hookwright.confirmation_requests
        where tenant_id = tenant and requested_at > now() - interval '1 day') >= 40 then
    return false;
  end if;
  insert into hookwright.confirmation_requests (tenant_id, address_hash) values (tenant, hashed);
  return true;
end $$;

grant execute on function hookwright.note_confirmation_request to hookwright_api;
