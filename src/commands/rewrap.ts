import { rewrapDataKeys } from '../operations/secrets/rewrap-data-keys.js';
import { encryptionKeysInUse } from '../operations/secrets/try-encryption-keys.js';
import type { Config } from '../settings/config.js';
import { administerSecrets } from './administer.js';
import { print } from './print.js';

export async function rewrapKeys(): Promise<void> {
  await administerSecrets(async (administration) => {
    const { config, db } = administration;
    const vault = await administration.vault();
    const tenants = await rewrapDataKeys(db, vault);
    const inUse = await encryptionKeysInUse(db);
    const others = inUse.filter(({ kid }) => kid !== vault.currentKid);
    print(
      `${rewrapped(tenants)} by ${vault.currentKid}${tenants === 0 ? '' : ' now'}. ` +
        (others.length === 0
          ? onlyOne(config)
          : `Still in use: ${others.map(({ kid }) => kid).join(', ')}. A process that encrypts with it is running: restart it with the new ENCRYPTION_KEYS, and rewrap again.`),
    );
  });
}

function onlyOne({ encryptionKeys }: Config): string {
  return encryptionKeys === undefined || encryptionKeys.length === 1
    ? 'No other encryption key is in use.'
    : 'No other encryption key is in use: the others can be taken out of ENCRYPTION_KEYS.';
}

function rewrapped(tenants: number): string {
  if (tenants === 0) {
    return 'There was nothing to do: the secrets of all tenants are protected';
  }
  return tenants === 1 ? 'The secrets of 1 tenant are protected' : `The secrets of ${tenants} tenants are protected`;
}
