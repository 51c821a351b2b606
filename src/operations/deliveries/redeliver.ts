import { LANES } from '../../domain/pacing/lanes.js';
import type { DisabledReason } from '../../entities/webhook.js';
import { ApiError, eventErased, found } from '../../errors.js';
import { type HasOrm, query, type Statement } from '../../platform/database/database.js';
import { inactive } from '../proofs/inactive.js';
import { type Actor, about, audit } from '../rows/audit.js';
import { managementTransaction, type UnitOfWork } from '../rows/unit-of-work.js';
import { isOpen, LOCK_WAIT_MS, reopenedSql } from './delivery-state.js';

interface Row {
  status: string;
  webhookId: number;
  active: boolean;
  reason: DisabledReason | null;
  deleted: boolean;
  has_event: boolean;
  erased: boolean;
}

/** With `$2` the content that the webhook has now, which is also noted beside the attempts before it. */
const contentSql = `
  content_id = case when $2 then wanted.content_id else d.content_id end,
  reshaped_after = case when $2 and wanted.content_id is distinct from d.content_id then d.attempt_count
                        else d.reshaped_after end`;

/** The webhook is locked first, as everywhere. */
const lockStatement: Statement = {
  text: `
    with target as materialized (
      select w.id, w.active, w.disabled_reason, w.deleted_at is not null as deleted from hookwright.webhooks w
      where w.id = (select webhook_id from hookwright.deliveries where id = $1 and tenant_id = $2)
        and w.tenant_id = $2
      for share)
    select d.status, target.id::float8 as "webhookId", target.active, target.disabled_reason as reason, target.deleted,
           -- A scalar subquery, so that Postgres looks the event up by its key.
           (select true from hookwright.events e where e.tenant_id = $2 and e.id = d.event_id) is true as has_event,
           d.erased is true as erased
    from target join hookwright.deliveries d on d.id = $1 and d.webhook_id = target.id
    for update of d`,
};

const reopenStatement: Statement = {
  text: `
    with reopened as materialized (
      update hookwright.deliveries d set ${reopenedSql}, ${contentSql}
      from (select (select o.content_id from hookwright.webhook_options o
                    where o.webhook_id = w.id) as content_id, w.id from hookwright.webhooks w) wanted
      where d.id = $1 and wanted.id = d.webhook_id
      returning d.id, d.tenant_id, d.attempt_count)
    select hookwright.enqueue_deliveries(array[id], array[attempt_count + 1], array[now()],
             array[${LANES.BULK.priority}])
    from reopened where cardinality(hookwright.queue_again(tenant_id, array[id])) = 1`,
};

/**
 * Sends a finished delivery again, with the same id (docs/graphql-examples.md, "Mutations: events and deliveries"). An
 * ordered one goes to the end of its key's queue.
 *
 * @param reshape whether to send the content that the webhook has now, instead of the delivery's own
 * @throws ApiError not_found; delivery_not_finished while it is open; event_gone when its event is not
 *   kept any more; event_erased; webhook_inactive; webhook_unverified; webhook_deleted. Error with LOCK_NOT_AVAILABLE,
 *   when another session has the webhook or the delivery locked
 */
export async function redeliver(
  db: HasOrm,
  tenantId: number,
  deliveryId: number,
  by: Actor,
  { reshape = false }: { reshape?: boolean } = {},
): Promise<void> {
  const work = async ({ em, sql }: UnitOfWork) => {
    const [locked] = await query<Row>(sql, lockStatement, [deliveryId, tenantId]);
    const row = found(locked, 'delivery', deliveryId);
    refuseUnlessSendable(deliveryId, row);
    await query(sql, reopenStatement, [deliveryId, reshape]);
    audit(em, by, {
      ...about('DELIVERY', tenantId, deliveryId),
      action: 'DELIVERY_REDELIVERED',
      before: { status: row.status },
      after: { status: 'PENDING', ...(reshape ? { reshape } : {}) },
    });
  };
  await managementTransaction(db, tenantId, work, { lockWaitMs: LOCK_WAIT_MS });
}

function refuseUnlessSendable(
  deliveryId: number,
  { status, active, deleted, has_event, erased, webhookId, reason }: Row,
): void {
  if (deleted) {
    throw new ApiError('webhook_deleted', `The webhook of delivery ${deliveryId} was deleted.`);
  }
  if (isOpen(status)) {
    throw new ApiError(
      'delivery_not_finished',
      `Delivery ${deliveryId} is ${status}; only one that has SUCCEEDED, FAILED or was CANCELED can be sent again (cancelDelivery cancels it).`,
    );
  }
  if (!has_event) {
    throw new ApiError(
      'event_gone',
      `The event of delivery ${deliveryId} is not kept any more; a delivery can be sent again only while its event is.`,
    );
  }
  if (erased) {
    throw eventErased(`the event of delivery ${deliveryId}`);
  }
  if (!active) {
    throw inactive(`The webhook of delivery ${deliveryId} is inactive; enable it first`, webhookId, reason);
  }
}
