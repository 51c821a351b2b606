import { INSTALLATION_TENANT } from '../../domain/installation/installation-tenant.js';
import { Tenant } from '../../entities/tenant.js';
import type { HasOrm } from '../../platform/database/database.js';
import { SQL_STATE, sqlStateOf } from '../../platform/database/driver/sql-state.js';
import { managementTransaction } from '../rows/unit-of-work.js';
import type { SecretVault } from '../secrets/secret-vault.js';

/** A name of a tenant ends without a space, so none has this one. */
const NAME = 'Installation ';

/** The tenant that webhooks of the installation belong to, as callers see it before the first of them is made. */
export const unmadeInstallationTenant = (now: Date): Tenant =>
  Object.assign(new Tenant(), { id: INSTALLATION_TENANT, name: NAME, createdAt: now });

/** Makes that tenant, with its data key, unless it is there. */
export async function makeInstallationTenant(db: HasOrm, vault: Pick<SecretVault, 'newDataKey'>): Promise<void> {
  const making = managementTransaction(db, INSTALLATION_TENANT, async ({ em }) => {
    if ((await em.count(Tenant)) === 0) {
      em.create(Tenant, { id: INSTALLATION_TENANT, name: NAME, ...vault.newDataKey(INSTALLATION_TENANT).wrapped });
    }
  });
  await making.catch((error: unknown) => {
    if (sqlStateOf(error) !== SQL_STATE.UNIQUE_VIOLATION) {
      throw error;
    }
    // Another request has made it at the same time.
  });
}
