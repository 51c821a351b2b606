import { randomBytes } from 'node:crypto';
import { INSTALLATION_TENANT } from '../domain/installation/installation-tenant.js';
import { SecretVault } from '../operations/secrets/secret-vault.js';
import { encryptionKeysInUse } from '../operations/secrets/try-encryption-keys.js';
import { giveUpSecrets, lockedOutTenants } from '../operations/tenants/give-up-secrets.js';
import type { Database } from '../platform/database/database.js';
import type { Config } from '../platform/settings/config.js';
import { administerSecrets } from './administer.js';
import { makeEncryptionKey, readEncryptionKeys } from './encryption-keys.js';
import { print } from './print.js';

/** `hookwright keys give-up <kid>`: without `--for-good` it says what would be lost, and changes nothing. */
export async function giveUpKey(kid: string, { forGood = false }: { forGood?: boolean }): Promise<void> {
  await administerSecrets(async ({ config, db }) => {
    await requireInUse(db, kid);
    const tenants = await lockedOutTenants(db, await readEncryptionKeys(config), kid);
    const which = `${kid} (tenants: ${tenants.filter(({ id }) => id !== INSTALLATION_TENANT).length})`;
    if (tenants.length === 0) {
      print(`The encryption key ${kid} is not lost: it opens all that it protects. Nothing is changed.`);
    } else if (!forGood) {
      print(
        `The secrets that need the lost encryption key ${which} would be lost for good, and the webhooks paused until their owners have rotated them. Nothing is changed. Stop all processes, and do it with --for-good.`,
      );
    } else {
      const vault = await newVault(config, db);
      for (const tenant of tenants) {
        await giveUpSecrets(db, vault, randomBytes, tenant, config.holdHours);
      }
      print(
        `The secrets that needed the lost encryption key ${which} are given up; ${vault.currentKid} protects what comes. Their webhooks are paused: each owner calls rotateWebhookSecret with overlapHours: 0, gives the new secret to the receiver, and enables the webhook.`,
      );
    }
  });
}

/** A vault with the key for new secrets, which is made where it is missing in the data folder. */
async function newVault(config: Config, db: Database): Promise<SecretVault> {
  if (config.encryptionKeys === undefined) {
    await makeEncryptionKey(config);
  }
  return new SecretVault(db, await readEncryptionKeys(config));
}

/** A mistyped name must not read as if nothing were lost. */
async function requireInUse(db: Database, kid: string): Promise<void> {
  const inUse = await encryptionKeysInUse(db);
  if (!inUse.some((key) => key.kid === kid)) {
    const known = inUse.map((key) => `${key.kid} (tenants: ${key.tenants})`).join(', ') || 'none yet';
    throw new Error(
      `No tenant's secrets are protected by an encryption key ${kid}: nothing is changed. In use: ${known}.`,
    );
  }
}
