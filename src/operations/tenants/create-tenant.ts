import { type Database, query, type Statement } from '../../database/database.js';
import { SQL_STATE, sqlStateOf } from '../../database/sql-state.js';
import { tenantTransaction } from '../../database/tenant-database.js';
import { ApiError } from '../../errors.js';
import { allocateId } from '../allocate-id.js';
import { type Actor, about, audit } from '../audit.js';
import type { SecretVault } from '../secrets/secret-vault.js';

const insertStatement: Statement = {
  name: 'create_tenant',
  text: `insert into hookwright.tenants (id, name, data_key, data_key_kid) values ($1, $2, $3, $4)
         returning created_at`,
};

/**
 * Makes a tenant, with a data key of its own for the secrets of its webhooks.
 *
 * @param name unique among those that there are
 * @throws ApiError name_taken
 */
export async function createTenant(
  db: Pick<Database, 'pool'>,
  vault: Pick<SecretVault, 'newDataKey'>,
  name: string,
  by: Actor,
): Promise<{ id: number; name: string; createdAt: Date }> {
  // The id comes first: the wrapped data key is bound to it.
  const id = await allocateId(db.pool, 'tenants');
  const { dataKey, dataKeyKid } = vault.newDataKey(id);
  try {
    return await tenantTransaction(db.pool, id, async (client, withCommit) => {
      const [row] = await query<{ created_at: Date }>(client, insertStatement, [
        id,
        name,
        dataKey,
        dataKeyKid,
      ]);
      withCommit(
        audit(client, by, { ...about('TENANT', id, id), action: 'TENANT_CREATED', after: { name } }),
      );
      return { id, name, createdAt: row!.created_at };
    });
  } catch (error) {
    throw tenantNameError(error);
  }
}

/** What the failure of a transaction that gives a tenant its name is to the caller. */
export const tenantNameError = (error: unknown) =>
  sqlStateOf(error) === SQL_STATE.UNIQUE_VIOLATION
    ? new ApiError('name_taken', 'Another tenant has this name.')
    : error;

/** Whether the installation has a tenant or has had one. For connections that see all: those of the API do not. */
export async function hasTenants({ pool }: Pick<Database, 'pool'>): Promise<boolean> {
  const { rows } = await pool.query(
    `select where exists (select from hookwright.tenants)
       or exists (select from hookwright.audit_log where tenant_id is null and action = 'TENANT_DELETED')`,
  );
  return rows.length > 0;
}
