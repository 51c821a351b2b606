import { type Database, query, type Statement, transaction } from '../../database/database.js';
import { about, audit, commandLine } from '../audit.js';
import type { SecretVault } from './secret-vault.js';

const CHUNK_ROWS = 100;

interface Row {
  id: number;
  data_key: Buffer;
  data_key_kid: string;
}

const readStatement: Statement = {
  text: `select id, data_key, data_key_kid from hookwright.tenants
         where data_key_kid <> $1 order by id limit ${CHUNK_ROWS} for no key update`,
};
const writeStatement: Statement = {
  text: 'update hookwright.tenants set data_key = $2, data_key_kid = $3 where id = $1',
};

/**
 * Wraps every tenant's data key by the first of ENCRYPTION_KEYS. The data keys themselves stay as they are, so running
 * processes that know both encryption keys notice nothing. It may be stopped and started again at any point.
 *
 * @returns for how many tenants it did so
 * @throws Error when a data key is wrapped by a key that is not among ENCRYPTION_KEYS; those before it are done
 */
export async function rewrapDataKeys(
  { pool }: Pick<Database, 'pool'>,
  vault: Pick<SecretVault, 'currentKid' | 'rewrap'>,
): Promise<number> {
  for (let done = 0; ; ) {
    const rewrapped = await transaction(pool, async (client) => {
      const rows = await query<Row>(client, readStatement, [vault.currentKid]);
      for (const { id, data_key, data_key_kid } of rows) {
        const { dataKey, dataKeyKid } = vault.rewrap(id, { dataKey: data_key, dataKeyKid: data_key_kid });
        await query(client, writeStatement, [id, dataKey, dataKeyKid]);
        await audit(client, commandLine, {
          ...about('TENANT', id, id),
          action: 'DATA_KEY_REWRAPPED',
          before: { encryptionKey: data_key_kid },
          after: { encryptionKey: dataKeyKid },
        });
      }
      return rows.length;
    });
    done += rewrapped;
    if (rewrapped === 0) {
      return done;
    }
  }
}

/** The names of the encryption keys that protect data keys, and of how many tenants each. */
export async function encryptionKeysInUse({
  pool,
}: Pick<Database, 'pool'>): Promise<{ kid: string; tenants: number }[]> {
  const { rows } = await pool.query<{ kid: string; tenants: number }>(
    `select data_key_kid as kid, count(*)::integer as tenants from hookwright.tenants group by 1 order by 1`,
  );
  return rows;
}
