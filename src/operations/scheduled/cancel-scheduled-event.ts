import { ApiError, found } from '../../errors.js';
import { type HasOrm, query, type Statement } from '../../platform/database/database.js';
import { LOCK_WAIT_MS } from '../deliveries/delivery-state.js';
import { type Actor, about, audit } from '../rows/audit.js';
import { managementTransaction } from '../rows/unit-of-work.js';

const lockStatement: Statement = {
  text: 'select status from hookwright.scheduled_events where tenant_id = $1 and id = $2 for no key update',
};
const cancelStatement: Statement = {
  text: `update hookwright.scheduled_events set status = 'CANCELED', finished_at = clock_timestamp()
         where tenant_id = $1 and id = $2`,
};

/**
 * Cancels a scheduled event. Nothing happens to one that is canceled already.
 *
 * @throws ApiError not_found; scheduled_event_emitted. Error with LOCK_NOT_AVAILABLE, when another session has it
 *   locked
 */
export async function cancelScheduledEvent(db: HasOrm, tenantId: number, id: number, by: Actor): Promise<void> {
  await managementTransaction(
    db,
    tenantId,
    async ({ em, sql }) => {
      const [row] = await query<{ status: string }>(sql, lockStatement, [tenantId, id]);
      const { status } = found(row, 'scheduled event', id);
      if (status === 'EMITTED') {
        throw new ApiError('scheduled_event_emitted', `Scheduled event ${id} was emitted already.`);
      }
      if (status === 'SCHEDULED') {
        await query(sql, cancelStatement, [tenantId, id]);
        const target = about('SCHEDULED_EVENT', tenantId, id);
        audit(em, by, { ...target, action: 'SCHEDULED_EVENT_CANCELED' });
      }
    },
    { lockWaitMs: LOCK_WAIT_MS },
  );
}
