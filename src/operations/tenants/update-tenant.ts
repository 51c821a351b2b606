import type { Tenant } from '../../entities/tenant.js';
import type { Database } from '../../platform/database/database.js';
import { type Actor, about, audit } from '../rows/audit.js';
import { lockTenant } from '../rows/lock-for-change.js';
import { managementTransaction } from '../rows/unit-of-work.js';
import { tenantNameError } from './create-tenant.js';

/**
 * Gives a tenant another name. Its current name has no effect.
 *
 * @throws ApiError not_found, name_taken
 */
export async function updateTenant(
  db: Pick<Database, 'orm'>,
  tenantId: number,
  { name }: { name: string },
  by: Actor,
): Promise<Tenant> {
  const renaming = managementTransaction(db, tenantId, async ({ em }) => {
    const tenant = await lockTenant(em, tenantId);
    if (tenant.name !== name) {
      const change = { before: { name: tenant.name }, after: { name } };
      tenant.name = name;
      audit(em, by, { ...about('TENANT', tenantId, tenantId), action: 'TENANT_UPDATED', ...change });
    }
    return tenant;
  });
  return await renaming.catch((error: unknown) => {
    throw tenantNameError(error);
  });
}
