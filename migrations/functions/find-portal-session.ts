/**
 * The portal session with a public id, as `find_api_key` finds a key: before the API knows the tenant. `ended`: it was
 * revoked or has expired.
 */
export const findPortalSession = `
create or replace function hookwright.find_portal_session(public_id text)
returns table (id bigint, tenant_id bigint, settings text, code_hash bytea, exchanged boolean, code_expired boolean,
               ended boolean)
language sql stable security definer set search_path = pg_catalog, hookwright, pg_temp as $$
  select k.id, k.tenant_id, k.portal_settings, k.portal_code_hash, k.portal_exchanged_at is not null,
    k.portal_code_expires_at <= now(), k.revoked_at is not null or k.expires_at <= now()
  from hookwright.api_keys k where k.portal_id = public_id
$$;

revoke execute on function hookwright.find_portal_session from public;
grant execute on function hookwright.find_portal_session to hookwright_api;
`;
