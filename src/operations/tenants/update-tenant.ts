import type { Tenant, TenantSettings } from '../../entities/tenant.js';
import type { HasOrm, HasPool } from '../../platform/database/database.js';
import { enqueueDefaults } from '../jobs/enqueue.js';
import { type Actor, about, audit, differences, picked } from '../rows/audit.js';
import { tenantConflict } from '../rows/external-ids.js';
import { lockTenant } from '../rows/lock-for-change.js';
import { managementTransaction } from '../rows/unit-of-work.js';
import type { NewSigningKey } from '../secrets/secret-vault.js';
import { addFirstKey } from '../signing-keys/change-signing-keys.js';
import { inheritedNames } from '../webhooks/settings.js';
import { auditLimits, noteLimits, withLimits } from './change-limits.js';

type TenantChange = Partial<Pick<Tenant, 'name'> & TenantSettings>;

/**
 * Changes a tenant. Its webhooks follow its defaults in a task (`follow-defaults`). Current values have no effect.
 *
 * @param signingKey becomes the tenant's, if it has none
 * @throws ApiError not_found, name_taken, external_id_taken
 */
export async function updateTenant(
  db: HasPool & HasOrm,
  tenantId: number,
  change: TenantChange,
  by: Actor,
  signingKey: NewSigningKey | null = null,
): Promise<Tenant> {
  const changing = managementTransaction(db, tenantId, async (unit) => {
    const { em, sql } = unit;
    const tenant = await lockTenant(em, tenantId);
    const wanted = withLimits(tenant, change);
    const changed = differences(picked(tenant, Object.keys(wanted) as (keyof TenantChange)[]), wanted);
    if (changed !== null) {
      em.assign(tenant, changed.after);
      noteLimits(unit, tenant, changed.after, by);
      audit(em, by, { ...about('TENANT', tenantId, tenantId), action: 'TENANT_UPDATED', ...changed });
      if (Object.keys(changed.after).some((name) => inheritedNames.has(name))) {
        await enqueueDefaults(sql, { tenantId, after: 0 });
      }
    }
    if (signingKey !== null) {
      await addFirstKey(unit, tenantId, signingKey);
    }
    if (changed !== null) {
      await auditLimits(unit, tenantId, changed, by);
    }
    return tenant;
  });
  return await changing.catch(async (error: unknown) => {
    throw await tenantConflict(db, error, change.externalId);
  });
}
