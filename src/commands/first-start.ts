import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config, EncryptionKey } from '../config.js';
import type { Services } from '../context.js';
import { SCOPES } from '../domain/api-key.js';
import { service } from '../operations/audit.js';
import { createApiKey } from '../operations/create-api-key.js';
import { createTenant } from '../operations/create-tenant.js';

export const ENCRYPTION_KEY_ID = 'local';
const KEY_BYTES = 32;
const OWNER_ONLY = 0o600;

export const apiKeyFile = (config: Config) => join(config.dataDir, 'api-key');
export const encryptionKeyFile = (config: Config) => join(config.dataDir, 'encryption-key');

/**
 * The keys that protect secrets at rest: those of the settings, or in the all-in-one mode the one in the data folder,
 * which is made on the first start.
 */
export async function encryptionKeysOf(config: Config): Promise<readonly EncryptionKey[]> {
  if (config.encryptionKeys !== undefined) {
    return config.encryptionKeys;
  }
  const file = encryptionKeyFile(config);
  await writeOnce(file, `${randomBytes(KEY_BYTES).toString('base64')}\n`, config.dataDir);
  const key = Buffer.from((await readFile(file, 'utf8')).trim(), 'base64');
  if (key.length !== KEY_BYTES) {
    throw new Error(`${file} is damaged: it must hold the base64 of ${KEY_BYTES} bytes.`);
  }
  return [{ kid: ENCRYPTION_KEY_ID, key }];
}

/**
 * Gives an empty all-in-one installation a tenant and a key with every tenant scope, kept in `api-key` in the data
 * folder.
 *
 * @returns the key if it was made now, else null
 */
export async function makeFirstTenant(services: Services): Promise<string | null> {
  const { config, db, vault, random } = services;
  const { rows } = await db.pool.query('select from hookwright.tenants limit 1');
  if (!config.embedded || rows.length > 0) {
    return null;
  }
  const tenant = await createTenant(db, vault, 'default', service);
  const { key } = await createApiKey(db, random, {
    tenantId: tenant.id,
    name: 'first start',
    scopes: SCOPES,
    by: service,
  });
  await writeOnce(apiKeyFile(config), `${key}\n`, config.dataDir);
  return key;
}

/** Writes a file for its owner's eyes, unless it is there already: two first starts at once must agree on one key. */
async function writeOnce(file: string, text: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  // Under another name first: nobody may find it half written.
  const draft = `${file}.${process.pid}`;
  try {
    const handle = await open(draft, 'w', OWNER_ONLY);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await link(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw error;
    }
  } finally {
    await rm(draft, { force: true });
  }
}
