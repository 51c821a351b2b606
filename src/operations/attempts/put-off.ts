import type pg from 'pg';
import { query, type Statement } from '../../platform/database/database.js';
import { impatientTransaction } from '../../platform/database/impatient-transaction.js';
import { column, RowsParameter } from '../../platform/database/rows-parameter.js';

export interface PutOff {
  deliveryId: number;
  webhookId: number;
  /** The webhook's, when the delivery was loaded, and its generation. */
  url: string;
  generation: number;
  /** The attempt that was due. */
  attemptNumber: number;
  inMs: number;
  /** The job's priority from now on. */
  priority: number;
}

/** The deliveries of the endpoint as it was may have been woken already. */
const CHANGED_MS = 250;
/** The whole batch waits for a lock. */
const LOCK_WAIT_MS = 100;

const putOffs = new RowsParameter<PutOff>({
  id: column.bigint(({ deliveryId }) => deliveryId),
  attempt: column.integer(({ attemptNumber }) => attemptNumber),
  in_ms: column.double(({ inMs }) => inMs),
  priority: column.integer(({ priority }) => priority),
  webhook_id: column.bigint(({ webhookId }) => webhookId),
  known_url: column.text(({ url }) => url),
  known_generation: column.integer(({ generation }) => generation),
});

const putOffStatement: Statement = {
  name: 'put_off_deliveries',
  text: `
    select hookwright.enqueue_deliveries(array_agg(put_off.id), array_agg(attempt),
             array_agg(now() + interval '1 millisecond' *
               case when w.url = known_url and w.generation = known_generation then in_ms
                    else least(in_ms, ${CHANGED_MS}) end),
             array_agg(priority))
    from ${putOffs.as('put_off')} left join hookwright.webhooks w on w.id = put_off.webhook_id`,
};

/**
 * Lets the deliveries' jobs come again later; no attempt is burned. Where the webhook has got another url meanwhile, or
 * was switched, the reason to wait is over: they come soon.
 *
 * @throws Error with LOCK_NOT_AVAILABLE, where another session has one of their jobs locked
 */
export async function putOffDeliveries(pool: pg.Pool, deliveries: readonly PutOff[]): Promise<null[]> {
  const values = putOffs.values(deliveries);
  await impatientTransaction(pool, LOCK_WAIT_MS, (client) => query(client, putOffStatement, values));
  return deliveries.map(() => null);
}
