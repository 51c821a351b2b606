import type { Database, Statement } from '../database.js';
import { tenantQuery } from '../tenant-database.js';
import { idRange } from './load-deliveries.js';

const statement: Statement = {
  name: 'read_bodies',
  text: `
    select d.id, e.body from hookwright.deliveries d
    join hookwright.events e on e.id = d.event_id and (e.tenant_id = d.tenant_id) is true
    where d.id = any($2::bigint[]) and d.id between $3 and $4 and (d.tenant_id = $1) is true`,
};

/** What deliveries send, by their ids: the very text of their events. */
export async function readBodies(
  db: Pick<Database, 'pool'>,
  tenantId: number,
  deliveryIds: readonly number[],
): Promise<Map<number, string>> {
  const values = [tenantId, [...deliveryIds], ...idRange(deliveryIds)];
  const rows = await tenantQuery<{ id: number; body: string }>(db.pool, tenantId, statement, values);
  return new Map(rows.map(({ id, body }) => [id, body]));
}
