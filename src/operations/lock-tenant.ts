import type pg from 'pg';
import { notFound } from '../errors.js';

/**
 * Before what a tenant has is counted: without the lock two creates could each count one below the limit and both pass
 * it. And before anything is made for a tenant that may be deleted meanwhile.
 *
 * @throws ApiError not_found, also for one that was deleted
 */
export async function lockTenant(client: pg.PoolClient, tenantId: number): Promise<{ name: string }> {
  const { rows } = await client.query<{ name: string }>(
    'select name from hookwright.tenants where id = $1 and deleted_at is null for no key update',
    [tenantId],
  );
  const [tenant] = rows;
  if (tenant === undefined) {
    throw notFound('tenant', tenantId);
  }
  return tenant;
}
