import { formatSecret, SECRET_BYTES } from '../../domain/signing/secret.js';
import { Tenant } from '../../entities/tenant.js';
import { type HasOrm, type HasPool, query } from '../../platform/database/database.js';
import type { EncryptionKey } from '../../platform/settings/config.js';
import { about, audit, commandLine } from '../rows/audit.js';
import { lockRows, lockWebhooks } from '../rows/lock-for-change.js';
import { managementTransaction } from '../rows/unit-of-work.js';
import { opensDataKey, type SecretVault } from '../secrets/secret-vault.js';
import { addFirstKey, eraseSigningKeys } from '../signing-keys/change-signing-keys.js';
import { forgetSecrets } from '../webhooks/settings.js';
import { pause } from '../webhooks/switch-webhook.js';

interface LockedOutTenant {
  id: number;
  dataKey: Buffer;
}

/** The tenants whose data keys were wrapped by a key of this name and do not open with ours, if we have one. */
export async function lockedOutTenants(
  { pool }: HasPool,
  keys: readonly EncryptionKey[],
  kid: string,
): Promise<LockedOutTenant[]> {
  const key = keys.find((known) => known.kid === kid)?.key;
  const text = 'select id, data_key as "dataKey" from hookwright.tenants where data_key_kid = $1 order by id';
  const tenants = await query<LockedOutTenant>(pool, { text }, [kid]);
  return tenants.filter(({ id, dataKey }) => key === undefined || !opensDataKey(key, id, dataKey));
}

/**
 * Gives a tenant a new data key in place of a lost one. Each of its webhooks gets a secret that nobody knows, and is
 * paused until its owner has rotated the secret and given the new one to the receiver. A tenant with a key pair gets
 * another one.
 *
 * @param holdHours how long the paused webhooks hold events
 */
export async function giveUpSecrets(
  db: HasOrm,
  vault: Pick<SecretVault, 'newDataKey'>,
  random: (bytes: number) => Buffer,
  { id: tenantId, dataKey: lost }: LockedOutTenant,
  holdHours: number,
): Promise<void> {
  const { wrapped, seal, newSigningKey } = vault.newDataKey(tenantId);
  await managementTransaction(db, tenantId, async (unit) => {
    const { em, sql } = unit;
    const [tenant] = await lockRows(em, Tenant, { id: tenantId });
    // Another process may have replaced it already.
    if (tenant?.dataKey.equals(lost) !== true) {
      return;
    }
    em.assign(tenant, wrapped);
    const after = { encryptionKey: wrapped.dataKeyKid };
    audit(em, commandLine, { ...about('TENANT', tenantId, tenantId), action: 'DATA_KEY_REPLACED', after });
    if (await eraseSigningKeys(sql, tenantId)) {
      await addFirstKey(unit, tenantId, newSigningKey());
    }
    for (const webhook of await lockWebhooks(em)) {
      const { id, active } = webhook;
      webhook.sealedSecret = seal(id, formatSecret(random(SECRET_BYTES)));
      webhook.previousSealedSecret = null;
      webhook.overlapEndsAt = null;
      await forgetSecrets(unit, webhook);
      if (active) {
        await pause(unit, webhook, holdHours);
        const change = { before: { active: true }, after: { active: false } };
        audit(em, commandLine, { ...about('WEBHOOK', tenantId, id), action: 'WEBHOOK_UPDATED', ...change });
      }
    }
  });
}
