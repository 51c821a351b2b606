import { idToDate } from '../../domain/ids/delivery-id.js';
import type { NodeType } from '../../domain/ids/global-id.js';
import type { HasPool, Statement } from '../../platform/database/database.js';
import { tenantQuery } from '../../platform/database/tenant-database.js';

/** Something that has a number, of any tenant. */
interface FoundObject {
  type: Exclude<NodeType, 'EventType'>;
  number: number;
  /** Null: it belongs to the installation. */
  tenantId: number | null;
  createdAt: Date;
}

const statement: Statement = {
  name: 'where_is',
  text: `select kind as type, tenant_id as "tenantId", created_at as "createdAt" from hookwright.where_is($1, $2)`,
};

/**
 * Everything with this number over all tenants: the numbers of deliveries and events contain a time and are rare, the
 * others count from 1.
 *
 * @param attempt the number of an attempt of the delivery, which is looked for as well
 */
export async function whereIs({ pool }: HasPool, number: number, attempt: number | null): Promise<FoundObject[]> {
  type Row = Pick<FoundObject, 'type' | 'tenantId'> & { createdAt: Date | null };
  const rows = await tenantQuery<Row>(pool, null, statement, [number, attempt]);
  return rows.map((row) => ({ ...row, number, createdAt: row.createdAt ?? idToDate(number) }));
}

const externalStatement: Statement = {
  name: 'where_is_external',
  text: `select kind as type, number, tenant_id as "tenantId", created_at as "createdAt"
         from hookwright.where_is_external($1)`,
};

/** The tenant with this external id, and the webhooks of all tenants that have it: at most the newest 100. */
export const whereIsExternal = ({ pool }: HasPool, externalId: string): Promise<FoundObject[]> =>
  tenantQuery(pool, null, externalStatement, [externalId]);
