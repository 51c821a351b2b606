/**
 * For each encryption key in use: the number of its tenants, and the wrapped data keys of the oldest and the newest of
 * them. With those a process finds out at its start, before it knows any tenant, whether it has the right keys. Two
 * samples, because two different keys may have had one name.
 */
export const dataKeySamples = `
create or replace function hookwright.data_key_samples()
returns table (kid text, tenants integer, tenant_id bigint, data_key bytea)
language sql stable security definer set search_path = pg_catalog, hookwright, pg_temp as $$
  select used.kid, used.tenants, t.id, t.data_key
  from (
    select data_key_kid as kid, count(*)::integer as tenants, min(id) as oldest, max(id) as newest
    from hookwright.tenants group by 1) used
  join hookwright.tenants t on t.id in (used.oldest, used.newest)
  order by used.kid, t.id
$$;

revoke execute on function hookwright.data_key_samples from public;
grant execute on function hookwright.data_key_samples to hookwright_api;
`;
