/**
 * Notes when an API key was used, for the tenant that the transaction names, and never as a time that is still to
 * come.
 */
export const noteApiKeyUse = `
create or replace function hookwright.note_api_key_use(key_id bigint, used_at timestamptz) returns void
language sql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
  update hookwright.api_keys set last_used_at = greatest(last_used_at, least(used_at, now()))
  where id = key_id and coalesce(tenant_id, 0) = hookwright.current_tenant()
$$;

revoke execute on function hookwright.note_api_key_use from public;
grant execute on function hookwright.note_api_key_use to hookwright_api;
`;
