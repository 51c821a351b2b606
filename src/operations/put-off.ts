import type pg from 'pg';
import { query, type Statement } from '../database/database.js';

export interface PutOff {
  deliveryId: number;
  /** The attempt that was due. */
  attemptNumber: number;
  inMs: number;
  /** The job's priority from now on. */
  priority: number;
}

const putOffStatement: Statement = {
  name: 'put_off_deliveries',
  text: `
    select hookwright.enqueue_deliveries(array_agg(id), array_agg(attempt),
             array_agg(now() + in_ms * interval '1 millisecond'), array_agg(priority))
    from unnest($1::bigint[], $2::integer[], $3::double precision[], $4::integer[])
           as put_off(id, attempt, in_ms, priority)`,
};

/** Lets the deliveries' jobs come again later. Nothing is written to the deliveries: no attempt is burned. */
export async function putOffDeliveries(pool: pg.Pool, deliveries: readonly PutOff[]): Promise<null[]> {
  await query(pool, putOffStatement, [
    deliveries.map(({ deliveryId }) => deliveryId),
    deliveries.map(({ attemptNumber }) => attemptNumber),
    deliveries.map(({ inMs }) => inMs),
    deliveries.map(({ priority }) => priority),
  ]);
  return deliveries.map(() => null);
}
