import { ApiError } from '../../errors.js';
import { type HasOrm, query, type Statement } from '../../platform/database/database.js';
import { type Actor, about, audit } from '../rows/audit.js';
import { managementTransaction, type UnitOfWork } from '../rows/unit-of-work.js';
import { canceledSql, LOCK_WAIT_MS } from './delivery-state.js';
import { redeliver } from './redeliver.js';

/** RETRY sends the failed delivery again, in its place; SKIP goes on with the next one; CANCEL_ALL cancels the rest. */
export type UnblockAction = 'RETRY' | 'SKIP' | 'CANCEL_ALL';

const CHUNK_ROWS = 5_000;

interface BlockedKey {
  webhookId: number;
  key: string;
}

/** The webhook is locked first, as everywhere. */
const lockStatement: Statement = {
  text: `
    with target as materialized (
      select w.id from hookwright.webhooks w where w.id = $2 and w.tenant_id = $1 and w.deleted_at is null for share)
    select q.delivery_id::float8 as "headId" from target join hookwright.ordering_queue q on q.webhook_id = target.id
    where q.tenant_id = $1 and q.key = $3 and q.blocked_at is not null`,
};

const skipStatement: Statement = { text: 'select hookwright.skip_turn($1, $2) as skipped' };

const cancelStatement: Statement = {
  text: `
    with moved as (
      update hookwright.deliveries d set ${canceledSql('BY_USER')}
      where d.status = 'WAITING' and d.id = any(array(
        select q.delivery_id from hookwright.ordering_queue q
        where q.tenant_id = $1 and q.webhook_id = $2 and q.key = $3 order by q.position limit ${CHUNK_ROWS + 1}))
      returning d.id, d.tenant_id)
    select count(*)::integer as canceled, hookwright.leave_queues(array_agg(tenant_id), array_agg(id)) from moved`,
};

/**
 * Goes on with a key that is blocked since one of its deliveries has failed.
 *
 * @throws ApiError key_not_blocked; for RETRY those of redeliver. Error with LOCK_NOT_AVAILABLE
 */
export async function unblockKey(
  db: HasOrm,
  tenantId: number,
  blocked: BlockedKey,
  action: UnblockAction,
  by: Actor,
): Promise<void> {
  if (blocked.key.includes('\0')) {
    throw notBlocked(blocked); // Postgres has no such text
  }
  if (action === 'CANCEL_ALL') {
    while ((await inKey(db, tenantId, blocked, (unit) => cancelSome(unit, tenantId, blocked))) === CHUNK_ROWS) {}
  }
  if (action === 'RETRY') {
    const headId = await inKey(db, tenantId, blocked, async (_, head) => head);
    return await redeliver(db, tenantId, headId, by);
  }
  await inKey(db, tenantId, blocked, async ({ em, sql }, headId) => {
    const [row] = await query<{ skipped: boolean }>(sql, skipStatement, [tenantId, headId]);
    if (!row!.skipped) {
      throw notBlocked(blocked);
    }
    audit(em, by, {
      ...about('WEBHOOK', tenantId, blocked.webhookId),
      action: 'ORDERING_KEY_UNBLOCKED',
      after: { key: blocked.key, action },
    });
  });
}

const notBlocked = ({ webhookId }: BlockedKey) =>
  new ApiError('key_not_blocked', `Webhook ${webhookId} has no blocked ordering key of this name.`);

function inKey<Result>(
  db: HasOrm,
  tenantId: number,
  { webhookId, key }: BlockedKey,
  work: (unit: UnitOfWork, headId: number) => Promise<Result>,
): Promise<Result> {
  return managementTransaction(
    db,
    tenantId,
    async (unit) => {
      const [row] = await query<{ headId: number }>(unit.sql, lockStatement, [tenantId, webhookId, key]);
      if (row === undefined) {
        throw notBlocked({ webhookId, key });
      }
      return await work(unit, row.headId);
    },
    { lockWaitMs: LOCK_WAIT_MS },
  );
}

async function cancelSome({ sql }: UnitOfWork, tenantId: number, { webhookId, key }: BlockedKey): Promise<number> {
  const [row] = await query<{ canceled: number }>(sql, cancelStatement, [tenantId, webhookId, key]);
  return row!.canceled;
}
