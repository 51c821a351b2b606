/**
 * The API key with an id. The API needs it before it knows the tenant, so the row-level policies cannot let it
 * through.
 */
export const findApiKey = `
create or replace function hookwright.find_api_key(key_id bigint)
returns table (id bigint, tenant_id bigint, hash bytea, scopes text[], expires_at timestamptz,
               revoked_at timestamptz, last_used_at timestamptz, is_portal_session boolean)
language sql stable security definer set search_path = pg_catalog, hookwright, pg_temp as $$
  select k.id, k.tenant_id, k.hash, k.scopes, k.expires_at, k.revoked_at, k.last_used_at, k.portal_id is not null
  from hookwright.api_keys k where k.id = key_id
$$;

revoke execute on function hookwright.find_api_key from public;
grant execute on function hookwright.find_api_key to hookwright_api;
`;
