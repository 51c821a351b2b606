/**
 * Gives a portal session of the tenant that the transaction names its key, once: the hash that the session was made
 * with belongs to no key. Of several calls at the same time one succeeds, and the others give null.
 *
 * @returns until when the session lasts; null when it has begun before, is over, or its code has expired
 */
export const beginPortalSession = `
create or replace function hookwright.begin_portal_session(session_id bigint, key_hash bytea) returns timestamptz
language sql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
  update hookwright.api_keys set hash = key_hash, portal_exchanged_at = now()
  where id = session_id and tenant_id = hookwright.current_tenant() and portal_exchanged_at is null
    and portal_code_expires_at > now() and revoked_at is null and expires_at > now()
  returning expires_at
$$;

revoke execute on function hookwright.begin_portal_session from public;
grant execute on function hookwright.begin_portal_session to hookwright_api;
`;
