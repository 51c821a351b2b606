import { type Database, query } from '../database.js';
import { notFound } from '../errors.js';

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
): Promise<void> {
  const rows = await query(
    db.pool,
    {
      name: 'revoke_api_key',
      text: `update hookwright.api_keys set revoked_at = coalesce(revoked_at, now())
             where tenant_id is not distinct from $1 and id = $2 returning id`,
    },
    [tenantId, keyId],
  );
  if (rows.length === 0) {
    throw notFound('API key', keyId);
  }
}
