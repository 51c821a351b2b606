import { type Database, query, type Statement } from '../../database/database.js';
import { formatSecret, SECRET_BYTES } from '../../domain/signing/secret.js';
import { Tenant } from '../../entities/tenant.js';
import type { EncryptionKey } from '../../settings/config.js';
import { about, audit, commandLine } from '../rows/audit.js';
import { lockRows, lockWebhooks } from '../rows/lock-for-change.js';
import { managementTransaction } from '../rows/unit-of-work.js';
import { opensDataKey, type SecretVault } from '../secrets/secret-vault.js';
import { pause } from '../webhooks/switch-webhook.js';

const CHUNK_ROWS = 1_000;

const tenantsStatement: Statement = {
  text: `select id, data_key from hookwright.tenants where data_key_kid = $1 and id > $2
         order by id limit ${CHUNK_ROWS}`,
};

interface LockedOutTenant {
  id: number;
  dataKey: Buffer;
}

/** The tenants whose data keys were wrapped by a key of this name and do not open with ours, if we have one. */
export async function lockedOutTenants(
  { pool }: Pick<Database, 'pool'>,
  keys: readonly EncryptionKey[],
  kid: string,
): Promise<LockedOutTenant[]> {
  const key = keys.find((known) => known.kid === kid)?.key;
  const found: LockedOutTenant[] = [];
  for (let after = 0; ; ) {
    const rows = await query<{ id: number; data_key: Buffer }>(pool, tenantsStatement, [kid, after]);
    for (const { id, data_key: dataKey } of rows) {
      if (key === undefined || !opensDataKey(key, id, dataKey)) {
        found.push({ id, dataKey });
      }
    }
    if (rows.length < CHUNK_ROWS) {
      return found;
    }
    after = rows.at(-1)!.id;
  }
}

/**
 * Gives a tenant a new data key in place of a lost one. Each of its webhooks gets a secret that nobody knows, and is
 * paused until its owner has rotated the secret and given the new one to the receiver.
 *
 * @param holdHours how long the paused webhooks hold events
 */
export async function giveUpSecrets(
  db: Pick<Database, 'orm'>,
  vault: Pick<SecretVault, 'newLooseDataKey'>,
  random: (bytes: number) => Buffer,
  { id: tenantId, dataKey: lost }: LockedOutTenant,
  holdHours: number,
): Promise<void> {
  const { dataKey, dataKeyKid, seal } = vault.newLooseDataKey(tenantId);
  await managementTransaction(db, tenantId, async (unit) => {
    const { em } = unit;
    const [tenant] = await lockRows(em, Tenant, { id: tenantId });
    // Another process may have replaced it already.
    if (tenant?.dataKey.equals(lost) !== true) {
      return;
    }
    em.assign(tenant, { dataKey, dataKeyKid });
    audit(em, commandLine, {
      ...about('TENANT', tenantId, tenantId),
      action: 'DATA_KEY_REPLACED',
      after: { encryptionKey: dataKeyKid },
    });
    for (const webhook of await lockWebhooks(em)) {
      const { id, active } = webhook;
      webhook.sealedSecret = seal(id, formatSecret(random(SECRET_BYTES)));
      webhook.previousSealedSecret = null;
      webhook.overlapEndsAt = null;
      if (active) {
        await pause(unit, webhook, holdHours);
        audit(em, commandLine, {
          ...about('WEBHOOK', tenantId, id),
          action: 'WEBHOOK_UPDATED',
          before: { active: true },
          after: { active: false },
        });
      }
    }
  });
}
