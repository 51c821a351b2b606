import { ApiError, found } from '../../errors.js';
import { type HasOrm, query, type Statement } from '../../platform/database/database.js';
import { endTurnsSql } from '../ordering/turns.js';
import { type Actor, about, audit } from '../rows/audit.js';
import { managementTransaction, type UnitOfWork } from '../rows/unit-of-work.js';
import { canceledSql, isOpen, LOCK_WAIT_MS } from './delivery-state.js';

const lockStatement: Statement = {
  text: 'select status from hookwright.deliveries where id = $1 and tenant_id = $2 for update',
};
const canceledOneSql = `
  with moved as (
    update hookwright.deliveries set ${canceledSql('BY_USER')} where id = $1
    returning id, tenant_id, ordering_key)`;
const cancelStatement: Statement = { text: `${canceledOneSql} ${endTurnsSql('OPEN')}` };
const cancelWaitingStatement: Statement = { text: `${canceledOneSql} ${endTurnsSql('WAITING')}` };

/**
 * Cancels a delivery that is pending, waiting or held. A request in flight ends and is recorded, without a retry; if it
 * succeeds, the delivery has succeeded. The job later finds nothing to do.
 *
 * @throws ApiError not_found; delivery_finished. Error with LOCK_NOT_AVAILABLE, when another session has the delivery
 *   locked
 */
export async function cancelDelivery(db: HasOrm, tenantId: number, deliveryId: number, by: Actor): Promise<void> {
  const work = async ({ em, sql }: UnitOfWork) => {
    const [row] = await query<{ status: string }>(sql, lockStatement, [deliveryId, tenantId]);
    const { status } = found(row, 'delivery', deliveryId);
    if (!isOpen(status)) {
      throw new ApiError('delivery_finished', `Delivery ${deliveryId} is ${status} already.`);
    }
    await query(sql, status === 'WAITING' ? cancelWaitingStatement : cancelStatement, [deliveryId]);
    const change = { before: { status }, after: { status: 'CANCELED' } };
    audit(em, by, { ...about('DELIVERY', tenantId, deliveryId), action: 'DELIVERY_CANCELED', ...change });
  };
  await managementTransaction(db, tenantId, work, { lockWaitMs: LOCK_WAIT_MS });
}
