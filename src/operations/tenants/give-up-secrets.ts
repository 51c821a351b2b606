import type { EncryptionKey } from '../../config.js';
import { type Database, query, type Statement, transaction } from '../../database/database.js';
import { formatSecret, SECRET_BYTES } from '../../domain/secret.js';
import { about, audit, commandLine } from '../audit.js';
import { opensDataKey, type SecretVault } from '../secrets/secret-vault.js';
import { pause } from '../webhooks/switch-webhook.js';

const CHUNK_ROWS = 1_000;

const tenantsStatement: Statement = {
  text: `select id, data_key from hookwright.tenants where data_key_kid = $1 and id > $2
         order by id limit ${CHUNK_ROWS}`,
};
const replaceStatement: Statement = {
  text: `update hookwright.tenants set data_key = $2, data_key_kid = $3
         where id = $1 and data_key = $4`,
};
const webhooksStatement: Statement = {
  text: `select id, active from hookwright.webhooks where tenant_id = $1 and deleted_at is null
         order by id for update`,
};
const sealStatement: Statement = {
  text: `update hookwright.webhooks
         set sealed_secret = $2, previous_sealed_secret = null, previous_secret_expires_at = null where id = $1`,
};

/** A tenant whose data key does not open, as its row has it. */
interface LockedOutTenant {
  id: number;
  dataKey: Buffer;
}

/** The tenants whose data keys are wrapped by a key of this name, and do not open with the one that we have, if any. */
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
 * Gives a tenant a new data key in the place of one that is lost. Each of its webhooks gets a secret that nobody has
 * seen, and is paused: nothing may be sent before its owner has rotated the secret, and told the receiver the new one.
 *
 * @param holdHours how long the webhooks collect events meanwhile
 */
export async function giveUpSecrets(
  { pool }: Pick<Database, 'pool'>,
  vault: Pick<SecretVault, 'newLooseDataKey'>,
  random: (bytes: number) => Buffer,
  tenant: LockedOutTenant,
  holdHours: number,
): Promise<void> {
  const { id: tenantId } = tenant;
  const { dataKey, dataKeyKid, seal } = vault.newLooseDataKey(tenantId);
  await transaction(pool, async (client) => {
    // Only what was found not to open: somebody else may be doing the same.
    const { rowCount } = await client.query({
      ...replaceStatement,
      values: [tenantId, dataKey, dataKeyKid, tenant.dataKey],
    });
    if (rowCount === 0) {
      return;
    }
    await audit(client, commandLine, {
      ...about('TENANT', tenantId, tenantId),
      action: 'DATA_KEY_REPLACED',
      after: { encryptionKey: dataKeyKid },
    });
    for (const { id, active } of await query<{ id: number; active: boolean }>(client, webhooksStatement, [
      tenantId,
    ])) {
      await query(client, sealStatement, [id, seal(id, formatSecret(random(SECRET_BYTES)))]);
      if (active) {
        await pause(client, tenantId, id, holdHours);
        await audit(client, commandLine, {
          ...about('WEBHOOK', tenantId, id),
          action: 'WEBHOOK_UPDATED',
          before: { active: true },
          after: { active: false },
        });
      }
    }
  });
}
