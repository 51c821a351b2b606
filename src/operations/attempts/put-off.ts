import type pg from 'pg';
import { query, type Statement } from '../../database/database.js';
import { column, RowsParameter } from '../../database/rows-parameter.js';

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

const putOffs = new RowsParameter<PutOff>({
  id: column.bigint(({ deliveryId }) => deliveryId),
  attempt: column.integer(({ attemptNumber }) => attemptNumber),
  in_ms: column.double(({ inMs }) => inMs),
  priority: column.integer(({ priority }) => priority),
  webhook_id: column.bigint(({ webhookId }) => webhookId),
  known_url: column.text(({ url }) => url),
});

const putOffStatement: Statement = {
  name: 'put_off_deliveries',
  text: `
    select hookwright.enqueue_deliveries(array_agg(put_off.id), array_agg(attempt),
             array_agg(now() + case when w.url = known_url then in_ms else least(in_ms, ${CHANGED_MS}) end
               * interval '1 millisecond'), array_agg(priority))
    from ${putOffs.as('put_off')}
         left join hookwright.webhooks w on w.id = put_off.webhook_id`,
};

/**
 * Lets the deliveries' jobs come again later. Nothing is written to the deliveries: no attempt is burned. Where the
 * webhook has got another url meanwhile, what was to be waited for is over: they come soon.
 */
export async function putOffDeliveries(pool: pg.Pool, deliveries: readonly PutOff[]): Promise<null[]> {
  await query(pool, putOffStatement, putOffs.values(deliveries));
  return deliveries.map(() => null);
}
