import { type Database, query, type Statement } from '../../database/database.js';
import { tenantTransaction } from '../../database/tenant-database.js';
import { notFound } from '../../errors.js';
import { type Actor, about, audit } from '../audit.js';

const readStatement: Statement = {
  name: 'lock_api_key',
  text: `select name, revoked_at is not null as revoked from hookwright.api_keys
         where tenant_id is not distinct from $1 and id = $2 for no key update`, // the log of another key's revocation refers to this one
};
const revokeStatement: Statement = {
  name: 'revoke_api_key',
  text: 'update hookwright.api_keys set revoked_at = now() where id = $1',
};

/**
 * Revokes a key for good; every process refuses it within 5 s. Revoking it again changes nothing.
 *
 * @param tenantId the key's tenant; null for platform keys
 * @throws ApiError not_found
 */
export async function revokeApiKey(
  db: Pick<Database, 'pool'>,
  tenantId: number | null,
  keyId: number,
  by: Actor,
): Promise<void> {
  await tenantTransaction(db.pool, tenantId, async (client, withCommit) => {
    const [key] = await query<{ name: string; revoked: boolean }>(client, readStatement, [tenantId, keyId]);
    if (key === undefined) {
      throw notFound('API key', keyId);
    }
    if (!key.revoked) {
      withCommit(query(client, revokeStatement, [keyId]));
      const before = { name: key.name };
      withCommit(
        audit(client, by, { ...about('API_KEY', tenantId, keyId), action: 'API_KEY_REVOKED', before }),
      );
    }
  });
}
