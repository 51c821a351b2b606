import type { Database } from '../../database/database.js';
import { tenantTransaction } from '../../database/tenant-database.js';
import { type Actor, about, audit } from '../audit.js';
import { lockTenant } from '../lock-tenant.js';
import { tenantNameError } from './create-tenant.js';

/**
 * Gives a tenant another name. The name that it has already changes nothing.
 *
 * @throws ApiError not_found, name_taken
 */
export async function updateTenant(
  db: Pick<Database, 'pool'>,
  tenantId: number,
  { name }: { name: string },
  by: Actor,
): Promise<void> {
  const renaming = tenantTransaction(db.pool, tenantId, async (client, withCommit) => {
    const before = await lockTenant(client, tenantId);
    if (before.name === name) {
      return;
    }
    await client.query('update hookwright.tenants set name = $2 where id = $1', [tenantId, name]);
    const change = { before, after: { name } };
    withCommit(
      audit(client, by, {
        ...about('TENANT', tenantId, tenantId),
        action: 'TENANT_UPDATED',
        ...change,
      }),
    );
  });
  await renaming.catch((error: unknown) => {
    throw tenantNameError(error);
  });
}
