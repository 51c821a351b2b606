import { INSTALLATION_TENANT } from '../../domain/installation/installation-tenant.js';
import { type NewTenantSettings, Tenant } from '../../entities/tenant.js';
import type { HasOrm, HasPool } from '../../platform/database/database.js';
import { allocateId } from '../rows/allocate-id.js';
import { type Actor, about, audit } from '../rows/audit.js';
import { tenantConflict } from '../rows/external-ids.js';
import { managementTransaction } from '../rows/unit-of-work.js';
import type { SecretVault } from '../secrets/secret-vault.js';
import { addFirstKey, BY_KEY } from '../signing-keys/change-signing-keys.js';
import { auditLimits, noteLimits } from './change-limits.js';

/**
 * Makes a tenant, with a data key of its own for the secrets of its webhooks.
 *
 * @param name unique among existing tenants
 * @param settings its external id, and values that its webhooks inherit
 * @throws ApiError name_taken, external_id_taken
 */
export async function createTenant(
  db: HasPool & HasOrm,
  vault: Pick<SecretVault, 'newDataKey'>,
  name: string,
  by: Actor,
  settings: NewTenantSettings = {},
): Promise<Tenant> {
  const id = await allocateId(db.pool, 'tenants');
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null));
  const making = managementTransaction(db, id, async (unit) => {
    const { em } = unit;
    const { wrapped, newSigningKey } = vault.newDataKey(id);
    audit(em, by, { ...about('TENANT', id, id), action: 'TENANT_CREATED', after: { name, ...given } });
    const tenant = em.create(Tenant, { id, name, ...given, ...wrapped });
    noteLimits(unit, tenant, given, by);
    if (tenant.signing === BY_KEY) {
      await em.flush();
      await addFirstKey(unit, id, newSigningKey());
    }
    await auditLimits(unit, id, { after: given }, by);
    return tenant;
  });
  return await making.catch(async (error: unknown) => {
    throw await tenantConflict(db, error, settings.externalId);
  });
}

/** Whether the installation has or had a tenant. Connections of the API do not see all. */
export async function hasTenants({ pool }: HasPool): Promise<boolean> {
  const { rows } = await pool.query(
    `select where exists (select from hookwright.tenants where id <> ${INSTALLATION_TENANT})
       or exists (select from hookwright.audit_log where tenant_id is null and action = 'TENANT_DELETED')`,
  );
  return rows.length > 0;
}
