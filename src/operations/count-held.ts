import type { Database } from '../database.js';
import { tenantQuery } from '../tenant-database.js';

/** How many deliveries each webhook holds. Webhooks without any are not in the answer. */
export async function countHeld(
  db: Pick<Database, 'pool'>,
  tenantId: number,
  webhookIds: readonly number[],
): Promise<Map<number, number>> {
  const rows = await tenantQuery<{ webhook_id: number; held: number }>(
    db.pool,
    tenantId,
    {
      name: 'count_held',
      text: `select webhook_id, count(*)::integer as held from hookwright.deliveries
             where tenant_id = $1 and webhook_id = any($2::bigint[]) and status = 'HELD' group by webhook_id`,
    },
    [tenantId, [...webhookIds]],
  );
  return new Map(rows.map(({ webhook_id, held }) => [webhook_id, held]));
}
