import type { HasPool } from '../../platform/database/database.js';
import { tenantQuery } from '../../platform/database/tenant-database.js';

/** A key of a webhook, with its queue. */
export interface OrderingKey {
  key: string;
  /** The delivery whose turn it is; of a blocked key, the one that has failed. */
  headId: number;
  waiting: number;
  /** Null: nothing waits. */
  oldestId: number | null;
  /** Null: it is not blocked. */
  blockedAt: Date | null;
}

/** The most deliveries of a webhook that are read, key by key. */
const QUEUED_LOOKED = 100_000;

const keysStatement = {
  name: 'read_ordering_keys',
  text: `
    select key, head::float8 as "headId", waiting, oldest::float8 as "oldestId", blocked_at as "blockedAt"
    from (
      select key, (array_agg(delivery_id order by position))[1] as head, count(*)::integer - 1 as waiting,
             (array_agg(delivery_id order by position))[2] as oldest, min(blocked_at) as blocked_at
      from (select * from hookwright.ordering_queue
            where tenant_id = $1 and webhook_id = $2
              and (not $3::boolean or key in (
                select key from hookwright.ordering_queue where webhook_id = $2 and blocked_at is not null))
            order by webhook_id, key, position limit ${QUEUED_LOOKED}) looked
      group by key) keys
    where not $3 or blocked_at is not null
    order by blocked_at is null, waiting desc, key limit $4`,
};

/** The keys of a webhook with open deliveries: first those that are blocked, then those with the most that wait. */
export const readOrderingKeys = (
  db: HasPool,
  tenantId: number,
  webhookId: number,
  { first, blocked }: { first: number; blocked: boolean },
): Promise<OrderingKey[]> =>
  tenantQuery<OrderingKey>(db.pool, tenantId, keysStatement, [tenantId, webhookId, blocked, first]);

const headsStatement = {
  name: 'read_ordering_heads',
  text: `
    select own.delivery_id as id, head.delivery_id as "headId"
    from hookwright.ordering_queue own
    cross join lateral (
      select q.delivery_id from hookwright.ordering_queue q
      where q.webhook_id = own.webhook_id and q.key = own.key order by q.position limit 1) head
    where own.tenant_id = $1 and own.delivery_id = any($2::bigint[])`,
};

/** @returns by delivery, the one that has its turn in the same queue */
export async function readHeads(
  db: HasPool,
  tenantId: number,
  deliveryIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const values = [tenantId, [...deliveryIds]];
  const rows = await tenantQuery<{ id: number; headId: number }>(db.pool, tenantId, headsStatement, values);
  return new Map(rows.map(({ id, headId }) => [id, headId]));
}
