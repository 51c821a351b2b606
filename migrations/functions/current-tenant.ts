/**
 * The tenant that the transaction names in `app.tenant`, on which every row-level policy of the API stands: null when
 * it names none, 0 for the installation itself (platform keys, and what is done with them).
 */
export const currentTenant = `
create or replace function hookwright.current_tenant() returns bigint
language sql stable parallel safe
return nullif(current_setting('app.tenant', true), '')::bigint;

revoke execute on function hookwright.current_tenant from public;
grant execute on function hookwright.current_tenant to hookwright_api;
`;
