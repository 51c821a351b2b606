import { type HasPool, query, type Statement } from '../../platform/database/database.js';
import type { EncryptionKey } from '../../platform/settings/config.js';
import { opensDataKey } from './secret-vault.js';

/** An encryption key in use, tried with `ENCRYPTION_KEYS`. */
export interface TriedKey {
  kid: string;
  /** How many tenants' secrets it protects, without those of the installation. */
  tenants: number;
  /**
   * - `OPENS`: the data keys that were tried open.
   * - `MISSING`: no key has this name.
   * - `WRONG`: another key has this name.
   * - `MIXED`: the key opens the oldest tenant's data key and not a newer one: another key had its name.
   */
  verdict: 'OPENS' | 'MISSING' | 'WRONG' | 'MIXED';
}

interface Sample {
  kid: string;
  tenants: number;
  tenant_id: number;
  data_key: Buffer;
}

const statement: Statement = {
  text: 'select kid, tenants, tenant_id, data_key from hookwright.data_key_samples()',
};

const readSamples = async ({ pool }: HasPool) =>
  Map.groupBy(await query<Sample>(pool, statement, []), ({ kid }) => kid);

/** The encryption keys that protect data keys, each with the number of its tenants. */
export async function encryptionKeysInUse(db: HasPool): Promise<{ kid: string; tenants: number }[]> {
  return [...(await readSamples(db))].map(([kid, [sample]]) => ({ kid, tenants: sample!.tenants }));
}

/** Tries the keys on two or three data keys for each encryption key in use: the right name does not prove the key. */
export async function tryEncryptionKeys(db: HasPool, keys: readonly EncryptionKey[]): Promise<TriedKey[]> {
  return [...(await readSamples(db))].map(([kid, ofKid]) => {
    const key = keys.find((known) => known.kid === kid)?.key;
    return { kid, tenants: ofKid[0]!.tenants, verdict: verdictOn(key, ofKid) };
  });
}

function verdictOn(key: Buffer | undefined, samples: readonly Sample[]): TriedKey['verdict'] {
  if (key === undefined) {
    return 'MISSING';
  }
  const opens = samples.map(({ tenant_id, data_key }) => opensDataKey(key, tenant_id, data_key));
  if (!opens[0]) {
    return 'WRONG';
  }
  return opens.every(Boolean) ? 'OPENS' : 'MIXED';
}
