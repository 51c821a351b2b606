/** The event of an idempotency key that the caller knows. The API may read no keys, not even those of its tenant. */
export const eventOfKey = `
create or replace function hookwright.event_of_key(wanted text) returns bigint
language sql stable security definer set search_path = pg_catalog, hookwright, pg_temp as $$
  select k.event_id from hookwright.idempotency_keys k
  where k.tenant_id = hookwright.current_tenant() and k.key = wanted
$$;

revoke execute on function hookwright.event_of_key from public;
grant execute on function hookwright.event_of_key to hookwright_api;
`;
