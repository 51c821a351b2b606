import { LANES } from '../../domain/pacing/lanes.js';
import type { DisabledReason } from '../../entities/webhook.js';
import { ApiError, notFound } from '../../errors.js';
import { type HasOrm, query, type Statement } from '../../platform/database/database.js';
import { waitsForSql } from '../ordering/turns.js';
import { inactive } from '../proofs/inactive.js';
import { type Actor, about, audit } from '../rows/audit.js';
import { managementTransaction, type UnitOfWork } from '../rows/unit-of-work.js';
import { LOCK_WAIT_MS } from './delivery-state.js';

interface Row {
  id: number;
  status: string;
  webhookId: number;
  active: boolean;
  reason: DisabledReason | null;
  deleted: boolean;
  /** The delivery that has its turn, of one that waits. */
  waitsFor: number | null;
}

/** Webhooks are locked first, as everywhere, and deliveries in the order of ids. */
const lockStatement: Statement = {
  text: `
    with target as materialized (
      select w.id, w.active, w.disabled_reason, w.deleted_at is not null as deleted from hookwright.webhooks w
      where w.tenant_id = $2 and w.id = any(array(
        select webhook_id from hookwright.deliveries where id = any($1::bigint[]) and (tenant_id = $2) is true))
      order by w.id for share)
    select d.id::float8 as id, d.status, target.id::float8 as "webhookId", target.active, target.deleted,
           target.disabled_reason as reason,
           case when d.status = 'WAITING' then ${waitsForSql('d')} end as "waitsFor"
    from target join hookwright.deliveries d on d.webhook_id = target.id
      and d.id = any($1::bigint[]) and (d.tenant_id = $2) is true
    order by d.id for update of d`,
};

const attemptStatement: Statement = {
  text: 'select hookwright.attempt_now($1, $2::bigint[], $3::integer[])::float8[] as ids',
};

/**
 * Makes pending deliveries due now; their retries go on from the number of the attempt. The first one of a webhook goes
 * before its next probe (docs/decisions/0049). One whose attempt is being made is left as it is.
 *
 * @param ids at least one, each once
 * @returns those that are due now
 * @throws ApiError for the first that cannot be attempted, and then nothing is changed: not_found; delivery_held;
 *   delivery_finished; ordering_waits; webhook_deleted; webhook_inactive; webhook_unverified.
 *   Error with LOCK_NOT_AVAILABLE
 */
export async function attemptNow(db: HasOrm, tenantId: number, ids: readonly number[], by: Actor): Promise<number[]> {
  const work = async ({ em, sql }: UnitOfWork) => {
    const rows = await query<Row>(sql, lockStatement, [ids, tenantId]);
    const found = new Map(rows.map((row) => [row.id, row]));
    for (const id of ids) {
      refuseUnlessWaiting(id, found.get(id));
    }
    const seen = new Set<number>();
    const priorities = rows.map(({ webhookId }) => {
      const isFirst = !seen.has(webhookId);
      seen.add(webhookId);
      return isFirst ? LANES.TEST.priority : LANES.RETRY.priority;
    });
    const values = [tenantId, rows.map(({ id }) => id), priorities];
    const [due] = await query<{ ids: number[] }>(sql, attemptStatement, values);
    for (const id of due!.ids) {
      audit(em, by, { ...about('DELIVERY', tenantId, id), action: 'DELIVERY_ATTEMPTED_NOW' });
    }
    return due!.ids;
  };
  return managementTransaction(db, tenantId, work, { lockWaitMs: LOCK_WAIT_MS });
}

function refuseUnlessWaiting(id: number, row: Row | undefined): void {
  if (row === undefined) {
    throw notFound('delivery', id);
  }
  if (row.deleted) {
    throw new ApiError('webhook_deleted', `The webhook of delivery ${id} was deleted.`);
  }
  if (row.status === 'HELD') {
    throw new ApiError(
      'delivery_held',
      `Delivery ${id} is held; it is sent when its webhook is enabled, or by releaseHeld if the webhook is active.`,
    );
  }
  if (row.status === 'WAITING') {
    throw new ApiError(
      'ordering_waits',
      `Delivery ${id} waits for delivery ${row.waitsFor}, which has the same ordering key; only that one can be attempted.`,
    );
  }
  if (row.status !== 'PENDING') {
    throw new ApiError('delivery_finished', `Delivery ${id} is ${row.status} already; redeliver sends it again.`);
  }
  if (!row.active) {
    throw inactive(`The webhook of delivery ${id} is inactive; enable it first`, row.webhookId, row.reason);
  }
}
