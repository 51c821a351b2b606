import type { Database } from '../../database/database.js';
import { impatientTenantTransaction } from '../../database/tenant-database.js';
import { ApiError, notFound } from '../../errors.js';
import { type Actor, about, audit } from '../audit.js';
import { canceledSql, isOpen } from './delivery-state.js';

/**
 * Cancels a delivery that is pending or held. A request in flight ends and is recorded, without a retry; should it
 * succeed, the delivery has succeeded. The job finds nothing to do when its turn comes.
 *
 * @throws ApiError not_found; delivery_finished. Error with LOCK_NOT_AVAILABLE, when another session has the delivery
 *   locked
 */
export async function cancelDelivery(
  db: Pick<Database, 'pool'>,
  tenantId: number,
  deliveryId: number,
  by: Actor,
): Promise<void> {
  await impatientTenantTransaction(db.pool, tenantId, async (client, withCommit) => {
    const { rows } = await client.query<{ status: string }>(
      'select status from hookwright.deliveries where id = $1 and tenant_id = $2 for update',
      [deliveryId, tenantId],
    );
    const status = rows[0]?.status;
    if (status === undefined) {
      throw notFound('delivery', deliveryId);
    }
    if (!isOpen(status)) {
      throw new ApiError('delivery_finished', `Delivery ${deliveryId} is ${status} already.`);
    }
    await client.query(`update hookwright.deliveries set ${canceledSql('BY_USER')} where id = $1`, [
      deliveryId,
    ]);
    const change = { before: { status }, after: { status: 'CANCELED' } };
    withCommit(
      audit(client, by, {
        ...about('DELIVERY', tenantId, deliveryId),
        action: 'DELIVERY_CANCELED',
        ...change,
      }),
    );
  });
}
