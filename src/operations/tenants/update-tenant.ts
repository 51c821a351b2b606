import type { Tenant, TenantSettings } from '../../entities/tenant.js';
import type { HasOrm, HasPool } from '../../platform/database/database.js';
import { enqueueDefaults } from '../jobs/enqueue.js';
import { type Actor, about, audit, differences, picked } from '../rows/audit.js';
import { tenantConflict } from '../rows/external-ids.js';
import { lockTenant } from '../rows/lock-for-change.js';
import { managementTransaction } from '../rows/unit-of-work.js';
import { inheritedNames } from '../webhooks/settings.js';

type TenantChange = Partial<Pick<Tenant, 'name'> & TenantSettings>;

/**
 * Changes a tenant. Its webhooks follow its defaults in a task (`follow-defaults`). Current values have no effect.
 *
 * @throws ApiError not_found, name_taken, external_id_taken
 */
export async function updateTenant(
  db: HasPool & HasOrm,
  tenantId: number,
  change: TenantChange,
  by: Actor,
): Promise<Tenant> {
  const changing = managementTransaction(db, tenantId, async ({ em, sql }) => {
    const tenant = await lockTenant(em, tenantId);
    const changed = differences(picked(tenant, Object.keys(change) as (keyof TenantChange)[]), change);
    if (changed !== null) {
      em.assign(tenant, changed.after);
      audit(em, by, { ...about('TENANT', tenantId, tenantId), action: 'TENANT_UPDATED', ...changed });
      if (Object.keys(changed.after).some((name) => inheritedNames.has(name))) {
        await enqueueDefaults(sql, { tenantId, after: 0 });
      }
    }
    return tenant;
  });
  return await changing.catch(async (error: unknown) => {
    throw await tenantConflict(db, error, change.externalId);
  });
}
