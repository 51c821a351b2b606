/** SQL: the rows of a table with `tenant_id` are those of one tenant for the API. */
export const isolated = (table: string): string => `
  alter table hookwright.${table} enable row level security, force row level security;
  create policy one_tenant on hookwright.${table} to hookwright_api using (tenant_id = hookwright.current_tenant());
  create policy all_tenants on hookwright.${table} to current_user using (true);`;
