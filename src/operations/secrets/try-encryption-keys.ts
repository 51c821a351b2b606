import { type Database, query, type Statement } from '../../database/database.js';
import type { EncryptionKey } from '../../settings/config.js';
import { opensDataKey } from './secret-vault.js';

/** An encryption key that is in use, as whoever has `ENCRYPTION_KEYS` finds it. */
export interface TriedKey {
  kid: string;
  /** How many tenants' secrets it protects. */
  tenants: number;
  /**
   * - `OPENS`: what was tried opens.
   * - `MISSING`: no key has this name.
   * - `WRONG`: another key has this name.
   * - `MIXED`: the key opens what it protects of the oldest tenant and not of the newest: another one had its name.
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

/**
 * Tries the encryption keys on what is in the database: a right name alone says nothing of the key. Two data keys are
 * opened for each key in use, however many tenants there are. Needs no more rights than an API has, and changes
 * nothing.
 */
export async function tryEncryptionKeys(
  { pool }: Pick<Database, 'pool'>,
  keys: readonly EncryptionKey[],
): Promise<TriedKey[]> {
  const samples = Map.groupBy(await query<Sample>(pool, statement, []), ({ kid }) => kid);
  return [...samples].map(([kid, ofKid]) => {
    const key = keys.find((known) => known.kid === kid)?.key;
    return { kid, tenants: ofKid[0]!.tenants, verdict: verdictOn(key, ofKid) };
  });
}

/** @param samples the oldest one first */
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
