import { type Database, query } from '../database.js';
import { ApiError } from '../errors.js';
import type { SecretVault } from './secrets.js';

const UNIQUE_VIOLATION = '23505';

/**
 * Makes a tenant, with a data key of its own for the secrets of its webhooks.
 *
 * @param name unique in the installation
 * @throws ApiError name_taken
 */
export async function createTenant(
  db: Pick<Database, 'pool'>,
  vault: Pick<SecretVault, 'newDataKey'>,
  name: string,
): Promise<{ id: number; name: string; createdAt: Date }> {
  // The id comes first: the wrapped data key is bound to it.
  const [allocated] = await query<{ id: number }>(
    db.pool,
    { name: 'next_tenant_id', text: "select nextval('hookwright.tenants_id_seq') as id" },
    [],
  );
  const id = allocated!.id;
  const { dataKey, dataKeyKid } = vault.newDataKey(id);
  try {
    const [row] = await query<{ created_at: Date }>(
      db.pool,
      {
        name: 'create_tenant',
        text: `insert into hookwright.tenants (id, name, data_key, data_key_kid) values ($1, $2, $3, $4)
               returning created_at`,
      },
      [id, name, dataKey, dataKeyKid],
    );
    return { id, name, createdAt: row!.created_at };
  } catch (error) {
    if ((error as { code?: string }).code === UNIQUE_VIOLATION) {
      throw new ApiError('name_taken', 'Another tenant has this name.');
    }
    throw error;
  }
}
