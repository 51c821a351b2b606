import type pg from 'pg';
import { query, type Statement } from '../../database/database.js';
import { impatientTransaction, orLocked } from '../../database/impatient-transaction.js';
import { column, RowsParameter } from '../../database/rows-parameter.js';
import { lockFreeJobsSql } from '../jobs/job-conditions.js';
import { unlessJobLocked } from '../jobs/locked-jobs.js';

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

/** Who wakes those that were put off for the endpoint as it was may have come by already. */
const CHANGED_MS = 250;
/** Everybody in the batch waits for a lock. */
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

const enqueueSql = `
    select hookwright.enqueue_deliveries(array_agg(put_off.id), array_agg(attempt),
             array_agg(now() + case when w.url = known_url and w.generation = known_generation then in_ms else least(in_ms, ${CHANGED_MS}) end
               * interval '1 millisecond'), array_agg(priority))
    from ${putOffs.as('put_off')}
         left join hookwright.webhooks w on w.id = put_off.webhook_id`;

const putOffStatement: Statement = { name: 'put_off_deliveries', text: enqueueSql };

const keySql = `'d:' || put_off.id`;

const putOffFreeStatement: Statement = {
  text: `
    with ${lockFreeJobsSql(`array(select ${keySql} from ${putOffs.as('put_off')})`)},
    done as materialized (
      ${enqueueSql}
      where ${keySql} not in (select key from locked_job))
    select key from locked_job, done`,
};

/**
 * Lets the deliveries' jobs come again later. Nothing is written to the deliveries: no attempt is burned. Where the
 * webhook has got another url meanwhile, or was switched, the reason to wait is over: they come soon.
 *
 * @returns per delivery, whether it was put off, or another session has its job locked
 */
export async function putOffDeliveries(
  pool: pg.Pool,
  deliveries: readonly PutOff[],
): Promise<('PUT_OFF' | 'LOCKED')[]> {
  const run = (statement: Statement) =>
    impatientTransaction(pool, LOCK_WAIT_MS, (client) =>
      query<{ key: string }>(client, statement, putOffs.values(deliveries)),
    );
  if ((await orLocked(run(putOffStatement))) !== 'LOCKED') {
    return deliveries.map(() => 'PUT_OFF');
  }
  // What is locked still is a job that is not committed yet.
  const locked = await unlessJobLocked(run(putOffFreeStatement));
  const keys = new Set(locked.map(({ key }) => key));
  return deliveries.map(({ deliveryId }) => (keys.has(`d:${deliveryId}`) ? 'LOCKED' : 'PUT_OFF'));
}
