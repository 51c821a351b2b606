import type pg from 'pg';
import { notFound } from '../errors.js';

/**
 * Before what a tenant has is counted: without the lock two creates could each count one below the limit and both pass
 * it.
 *
 * @throws ApiError not_found
 */
export async function lockTenant(client: pg.PoolClient, tenantId: number): Promise<void> {
  const locked = await client.query('select from hookwright.tenants where id = $1 for no key update', [
    tenantId,
  ]);
  if (locked.rowCount === 0) {
    throw notFound('tenant', tenantId);
  }
}
