import type pg from 'pg';
import { query, type Statement } from '../database/database.js';

export interface PutOff {
  deliveryId: number;
  webhookId: number;
  /** The webhook's, when the delivery was loaded. */
  url: string;
  /** The attempt that was due. */
  attemptNumber: number;
  inMs: number;
  /** The job's priority from now on. */
  priority: number;
}

/** Who wakes those that were put off for the endpoint as it was may have come by already. */
const CHANGED_MS = 250;

const putOffStatement: Statement = {
  name: 'put_off_deliveries',
  text: `
    select hookwright.enqueue_deliveries(array_agg(put_off.id), array_agg(attempt),
             array_agg(now() + case when w.url = known_url then in_ms else least(in_ms, ${CHANGED_MS}) end
               * interval '1 millisecond'), array_agg(priority))
    from unnest($1::bigint[], $2::integer[], $3::double precision[], $4::integer[], $5::bigint[], $6::text[])
           as put_off(id, attempt, in_ms, priority, webhook_id, known_url)
         left join hookwright.webhooks w on w.id = put_off.webhook_id`,
};

/**
 * Lets the deliveries' jobs come again later. Nothing is written to the deliveries: no attempt is burned. Where the
 * webhook has got another url meanwhile, what was to be waited for is over: they come soon.
 */
export async function putOffDeliveries(pool: pg.Pool, deliveries: readonly PutOff[]): Promise<null[]> {
  await query(pool, putOffStatement, [
    deliveries.map(({ deliveryId }) => deliveryId),
    deliveries.map(({ attemptNumber }) => attemptNumber),
    deliveries.map(({ inMs }) => inMs),
    deliveries.map(({ priority }) => priority),
    deliveries.map(({ webhookId }) => webhookId),
    deliveries.map(({ url }) => url),
  ]);
  return deliveries.map(() => null);
}
