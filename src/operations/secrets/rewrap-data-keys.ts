import { INSTALLATION_TENANT } from '../../domain/installation/installation-tenant.js';
import { Tenant } from '../../entities/tenant.js';
import type { HasOrm } from '../../platform/database/database.js';
import { about, audit, commandLine } from '../rows/audit.js';
import { lockRows } from '../rows/lock-for-change.js';
import { managementTransaction } from '../rows/unit-of-work.js';
import type { SecretVault } from './secret-vault.js';

const CHUNK_ROWS = 100;

/**
 * Wraps every tenant's data key by the first of ENCRYPTION_KEYS. The data keys stay the same, so it does not disturb
 * processes that know both encryption keys.
 *
 * @returns the number of tenants, without the installation
 * @throws Error when a data key is wrapped by a key that is not among ENCRYPTION_KEYS; those before it are done
 */
export async function rewrapDataKeys(db: HasOrm, vault: Pick<SecretVault, 'currentKid' | 'rewrap'>): Promise<number> {
  for (let done = 0; ; ) {
    const rewrapped = await managementTransaction(db, null, async ({ em }) => {
      const wrappedByOthers = { dataKeyKid: { $ne: vault.currentKid } };
      const tenants = await lockRows(em, Tenant, wrappedByOthers, CHUNK_ROWS);
      for (const tenant of tenants) {
        const { id, dataKey, dataKeyKid } = tenant;
        em.assign(tenant, vault.rewrap(id, { dataKey, dataKeyKid }));
        const change = { before: { encryptionKey: dataKeyKid }, after: { encryptionKey: tenant.dataKeyKid } };
        audit(em, commandLine, { ...about('TENANT', id, id), action: 'DATA_KEY_REWRAPPED', ...change });
      }
      return tenants.map(({ id }) => id);
    });
    done += rewrapped.filter((id) => id !== INSTALLATION_TENANT).length;
    if (rewrapped.length === 0) {
      return done;
    }
  }
}
