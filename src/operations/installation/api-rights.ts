import type pg from 'pg';
import { apiRights } from '../../../migrations/api-rights.js';
import { API_ROLE } from '../../platform/database/tenant-database.js';

type Connection = Pick<pg.ClientBase, 'query'>;

const ROLE = `(select oid from pg_roles where rolname = '${API_ROLE}')`;

/** The rights of the role in the schema: by itself, by a group, or because everybody may. */
const rightsStatement = `
  with objects as (
    select oid as relation, relname::text as name, relkind from pg_class
    where relnamespace = to_regnamespace('hookwright') and relkind in ('r', 'p', 'v', 'S') and not relispartition)
  select 'usage on schema' as kind, nspname::text as name from pg_namespace
  where nspname = 'hookwright' and has_schema_privilege(${ROLE}, oid, 'usage')
  union all
  select p || ' on', name from objects, unnest(array['select', 'insert', 'update', 'delete']) as p
  where relkind <> 'S' and has_table_privilege(${ROLE}, relation, p)
  union all
  select p || ' on', format('%s (%s)', name, attname)
  from objects join pg_attribute on attrelid = relation and attnum > 0 and not attisdropped,
    unnest(array['select', 'insert', 'update']) as p
  where relkind <> 'S' and not has_table_privilege(${ROLE}, relation, p)
    and has_column_privilege(${ROLE}, relation, attnum, p)
  union all
  select p || ' on sequence', name from objects, unnest(array['usage', 'select']) as p
  where relkind = 'S' and has_sequence_privilege(${ROLE}, relation, p)
  union all
  select distinct 'execute on function', proname::text from pg_proc
  where pronamespace = to_regnamespace('hookwright') and has_function_privilege(${ROLE}, oid, 'execute')
  union all
  select 'policy', format('%s (%s)', name, polname) from objects join pg_policy on polrelid = relation
  where ${ROLE} = any(polroles)`;

/** @returns "select on webhooks", one right in each */
export async function rightsOfApi(client: Connection): Promise<string[]> {
  const { rows } = await client.query<{ kind: string; name: string }>(rightsStatement);
  return rows.map(({ kind, name }) => `${kind} ${name}`);
}

/** Tables whose rows are hidden from this login: a restored policy names the login of the old server. */
const hiddenStatement = `
  select relname::text as name from pg_class c
  where relnamespace = to_regnamespace('hookwright') and relforcerowsecurity and not exists (
    select from pg_policy, unnest(polroles) as role
    where polrelid = c.oid and polname = 'all_tenants' and pg_has_role(role, 'usage'))
  order by 1`;

const REMEDY =
  'Most likely a dump was restored before the role existed. ' +
  'Restore it again into an empty database: docs/operate.md, "Backups and restore".';

const few = (all: readonly string[]) =>
  `${all.slice(0, 3).join(', ')}${all.length > 3 ? ` and ${all.length - 3} more` : ''}`;

/** Tries the rights of the API's role one by one. @returns a sentence; null: nothing is missing */
export async function troubleOfApiRights(client: Connection): Promise<string | null> {
  const found = new Set(await rightsOfApi(client));
  const missing = apiRights.filter((right) => !found.has(right));
  return missing.length === 0 ? null : `The role ${API_ROLE} lacks ${few(missing)}. ${REMEDY}`;
}

/** The same for the login of DATABASE_URL, as the owner of the tables. @returns a sentence; null: it sees all rows */
export async function troubleOfOwner(client: Connection): Promise<string | null> {
  const { rows } = await client.query<{ name: string }>(hiddenStatement);
  const hidden = rows.map(({ name }) => name);
  return hidden.length === 0
    ? null
    : `The rows of ${few(hidden)} are hidden from the user of DATABASE_URL, because their policies name another login. ${REMEDY}`;
}
