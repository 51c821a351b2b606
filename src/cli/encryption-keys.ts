import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ENVELOPE_KEY_BYTES } from '../domain/signing/envelope.js';
import { type TriedKey, tryEncryptionKeys } from '../operations/secrets/try-encryption-keys.js';
import { hasTenants } from '../operations/tenants/create-tenant.js';
import type { HasPool } from '../platform/database/database.js';
import { thisProgram } from '../platform/node/this-program.js';
import type { Config, EncryptionKey } from '../platform/settings/config.js';
import { writeOnce } from './write-once.js';

const LOCAL_KID = 'local';

export const encryptionKeyFile = (config: Config) => join(config.dataDir, 'encryption-key');

/**
 * The keys that protect secrets at rest: those of the settings, or in the all-in-one mode the one in the data folder.
 * That key is made while there is no tenant, and so no secret. Later it is never made again: a new key would open
 * nothing, and the secrets that it protects would be lost when the right one is put back.
 *
 * @param db a migrated database
 * @throws Error naming each key in use that is missing, or is another one than its name says
 */
export async function encryptionKeysOf(config: Config, db: HasPool): Promise<readonly EncryptionKey[]> {
  // Before the file is read: a process that makes the first tenant at this moment has made the file before.
  if (config.encryptionKeys === undefined && !(await hasTenants(db))) {
    await makeEncryptionKey(config);
  }
  const keys = await readEncryptionKeys(config);
  const problems = (await tryEncryptionKeys(db, keys))
    // A key that opens the oldest tenant's secrets is the right one; the doctor reports any other trouble.
    .filter(({ verdict }) => verdict === 'MISSING' || verdict === 'WRONG')
    .map((key) => keyProblem(config, key));
  if (problems.length > 0) {
    throw new Error(problems.join('\n'));
  }
  return keys;
}

/** Makes the key in the data folder, unless it is there. Secrets of a lost key still need that one. */
export async function makeEncryptionKey(config: Config): Promise<void> {
  const key = randomBytes(ENVELOPE_KEY_BYTES).toString('base64');
  await writeOnce(encryptionKeyFile(config), `${key}\n`, config.dataDir);
}

/**
 * The keys as they are; none when the data folder lacks its file. Makes nothing.
 *
 * @throws Error when the file has no key in it, or cannot be read
 */
export async function readEncryptionKeys(config: Config): Promise<readonly EncryptionKey[]> {
  if (config.encryptionKeys !== undefined) {
    return config.encryptionKeys;
  }
  const file = encryptionKeyFile(config);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') {
      return null;
    }
    throw error;
  });
  if (text === null) {
    return [];
  }
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length !== ENVELOPE_KEY_BYTES) {
    throw new Error(
      `${file} is damaged: it must have the base64 of ${ENVELOPE_KEY_BYTES} bytes. Restore it from your backup. ` +
        `Where there is none, give the file another name: then the key counts as lost. ${WITHOUT_IT}`,
    );
  }
  return [{ kid: LOCAL_KID, key }];
}

/** A sentence about a key that does not open its secrets, with the remedy. @param key its verdict is not `OPENS` */
export function keyProblem(config: Config, key: TriedKey): string {
  const { kid, tenants, verdict } = key;
  const inUse = `(tenants: ${tenants})`;
  if (verdict === 'MISSING') {
    return `${missingKey(config, kid, inUse)} ${WITHOUT_IT}`;
  }
  const source = isInFile(config, kid) ? encryptionKeyFile(config) : 'ENCRYPTION_KEYS';
  return verdict === 'WRONG'
    ? `The encryption key ${kid} in ${source} is another one than the key that protects secrets under this name ${inUse}: it does not open them. Put the right one back from your backup. ${WITHOUT_IT}`
    : `Two different encryption keys have had the name ${kid}: the one in ${source} opens what the oldest of its tenants has and not what the newest has ${inUse}. For tenants of the other one nothing can be signed: see ${PAGE}.`;
}

function missingKey(config: Config, kid: string, inUse: string): string {
  const file = encryptionKeyFile(config);
  if (isInFile(config, kid)) {
    return `The file ${file} is missing. It has the encryption key ${kid}, which protects the signing secrets of all webhooks ${inUse}: restore it from your backup.`;
  }
  const setting = config.encryptionKeys === undefined ? 'ENCRYPTION_KEYS (not set)' : 'ENCRYPTION_KEYS';
  const where = config.embedded && kid === LOCAL_KID ? ` from the file ${file}` : '';
  return `${setting} lacks the key ${kid}, which protects secrets ${inUse}. Put it back${where}; after "${thisProgram} keys rewrap" it is not needed any more.`;
}

const isInFile = (config: Config, kid: string) => config.encryptionKeys === undefined && kid === LOCAL_KID;

const PAGE = '"An encryption key is lost" in docs/troubleshoot.md';
const WITHOUT_IT = `Without it those secrets are lost, and nothing can be signed: see ${PAGE}.`;
