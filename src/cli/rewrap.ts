import { rewrapDataKeys } from '../operations/secrets/rewrap-data-keys.js';
import { encryptionKeysInUse } from '../operations/secrets/try-encryption-keys.js';
import { administerSecrets } from './administer.js';
import { print } from './print.js';

export async function rewrapKeys(): Promise<void> {
  await administerSecrets(async ({ db, vault: openVault }) => {
    const vault = await openVault();
    const tenants = await rewrapDataKeys(db, vault);
    const others = (await encryptionKeysInUse(db)).map(({ kid }) => kid).filter((kid) => kid !== vault.currentKid);
    print(
      `Tenants whose secrets ${vault.currentKid} protects now, and another key did before: ${tenants}. ` +
        (others.length === 0
          ? 'No other encryption key is in use: ENCRYPTION_KEYS needs no other.'
          : `Still in use: ${others.join(', ')}. A process that encrypts with it is running: restart it with the new ENCRYPTION_KEYS, and rewrap again.`),
    );
  });
}
