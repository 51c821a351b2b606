import type { Tenant } from '../../entities/tenant.js';
import type { Database, Statement } from '../../platform/database/database.js';
import { tenantQuery } from '../../platform/database/tenant-database.js';
import type { Bounds } from '../explorer/page.js';
import { tenantOfExternalId } from '../rows/external-ids.js';
import { readTenants } from './read-usage.js';

/** A text that many names have is found among so many tenants, without an index of all names that have it. */
const NEAR_LOOKED = 1_000;

const nearStatement = (order: Bounds['order']): Statement => ({
  name: `search_tenants_${order}`,
  text: `
    select id from (
      select id, name from hookwright.tenants 
      where deleted_at is null and moving is distinct from 'GONE' and id > $1 and id < $2
      order by id ${order} limit ${NEAR_LOOKED}) near
    where name ilike '%' || regexp_replace($3, '([%_\\\\])', '\\\\\\1', 'g') || '%' limit $4`,
});

const nearStatements = { asc: nearStatement('asc'), desc: nearStatement('desc') } as const;

const namedStatement: Statement = {
  name: 'tenants_named',
  text: 'select hookwright.tenants_named($3, $1, $2, $5, $4) as id',
};

/** A page of the tenants whose names contain a text, ignoring case, and of the one that has it as its external id. */
export async function searchTenants(
  db: Pick<Database, 'orm' | 'pool'>,
  text: string,
  { above, below, order, limit }: Bounds,
): Promise<Tenant[]> {
  const page = [above, below, text, limit];
  const read = (statement: Statement, values: unknown[]) =>
    tenantQuery<{ id: number }>(db.pool, null, statement, values);
  const identified = await tenantOfExternalId(db, text);
  const near = await read(nearStatements[order], page);
  const rows = near.length < limit ? await read(namedStatement, [...page, order === 'desc']) : near;
  const more = identified !== null && identified > above && identified < below ? [identified] : [];
  const ids = [...new Set([...rows.map(({ id }) => id), ...more])]
    .sort((a, b) => (order === 'desc' ? b - a : a - b))
    .slice(0, limit);
  const tenants = new Map((await readTenants(db, ids)).map((tenant) => [tenant.id, tenant]));
  return ids.flatMap((id) => tenants.get(id) ?? []);
}
