import { found } from '../../errors.js';
import { type HasOrm, query, type Statement } from '../../platform/database/database.js';
import { LOCK_WAIT_MS } from '../deliveries/delivery-state.js';
import { type Actor, about, audit } from '../rows/audit.js';
import { managementTransaction } from '../rows/unit-of-work.js';

/** An event, or one that is scheduled or was. */
type Erasable = 'EVENT' | 'SCHEDULED_EVENT';

const findStatement: Statement = { text: 'select true from hookwright.events where tenant_id = $1 and id = $2' };
const findScheduledStatement: Statement = {
  text: 'select true from hookwright.scheduled_events where tenant_id = $1 and id = $2',
};
const eraseStatement: Statement = {
  text: 'select cardinality(hookwright.erase_events($1, array[$2::bigint])) as count',
};
const eraseScheduledStatement: Statement = {
  text: 'select cardinality(hookwright.erase_scheduled_events($1, array[$2::bigint])) as count',
};

const kinds = {
  EVENT: { noun: 'event', find: findStatement, erase: eraseStatement, action: 'EVENT_ERASED' },
  SCHEDULED_EVENT: {
    noun: 'scheduled event',
    find: findScheduledStatement,
    erase: eraseScheduledStatement,
    action: 'SCHEDULED_EVENT_ERASED',
  },
} as const;

/**
 * Erases one event with all that was kept of its payload. Nothing happens to one that is erased already.
 *
 * @throws ApiError not_found. Error with LOCK_NOT_AVAILABLE, when another session has one of its rows locked
 */
export async function eraseEvent(
  db: HasOrm,
  tenantId: number,
  { kind, id, reason }: { kind: Erasable; id: number; reason: string },
  by: Actor,
): Promise<void> {
  const { noun, find, erase, action } = kinds[kind];
  await managementTransaction(
    db,
    tenantId,
    async ({ em, sql }) => {
      found((await query(sql, find, [tenantId, id]))[0], noun, id);
      const [row] = await query<{ count: number }>(sql, erase, [tenantId, id]);
      if (row!.count > 0) {
        audit(em, by, { ...about(kind, tenantId, id), action, after: { reason } });
      }
    },
    { lockWaitMs: LOCK_WAIT_MS },
  );
}
