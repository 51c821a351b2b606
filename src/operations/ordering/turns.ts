import { query, type SqlTarget, type Statement } from '../../platform/database/database.js';
import type { DeliverPayload, TurnPayload } from '../jobs/tasks.js';

/** Ordered deliveries: one of each key has its turn, and the others wait for its end (docs/decisions/0058). */

/** A daemon's room for deliveries that are woken: their jobs are written as if it had fetched them. */
export interface WakesHere {
  /** The worker pool that has the jobs locked. */
  workerPoolId: string;
  jobsMax: number;
  /** Runs the jobs, once they are committed. When that reply is lost, the rescue sweep finds the deliveries. */
  begin(jobs: readonly WokenJob[]): void;
}

interface WokenJob {
  id: string;
  priority: number;
  payload: DeliverPayload;
}

/** The answer of `hookwright.end_turns`. */
export type WokenJson = [id: number, payload: DeliverPayload, priority: number][] | null;

/** Begins what was woken for a daemon. */
export function beginWoken(here: WakesHere | null, woken: WokenJson): void {
  if (here !== null && woken !== null) {
    here.begin(woken.map(([id, payload, priority]) => ({ id: String(id), payload, priority })));
  }
}

const endStatement: Statement = {
  name: 'end_turns',
  text: 'select hookwright.end_turns($1::bigint[], $2::bigint[], $3::boolean[])',
};

interface Ended {
  id: number;
  tenantId: number;
  failed: boolean;
}

/** Ends turns of deliveries, and wakes the next of each key unless a failed one blocks it. It waits for no lock. */
export async function endTurns(client: SqlTarget, ended: readonly Ended[]): Promise<void> {
  const columns = [ended.map(({ tenantId }) => tenantId), ended.map(({ id }) => id), ended.map(({ failed }) => failed)];
  await query(client, endStatement, columns);
}

/**
 * SQL: the end of a statement that has ended deliveries of `moved`, which has their `id`, `tenant_id` and
 * `ordering_key`.
 *
 * @param was WAITING: they ended before their turn
 */
export const endTurnsSql = (was: 'OPEN' | 'WAITING'): string => `
  select hookwright.${was === 'WAITING' ? 'leave_queues' : 'end_turns'}(array_agg(tenant_id), array_agg(id))
  from moved where ordering_key is not null having count(*) > 0`;

/** SQL: the delivery that has its turn in the queue of a delivery `d`. */
export const waitsForSql = (d: string): string => `(
  select q.delivery_id::float8 from hookwright.ordering_queue q
  where q.webhook_id = ${d}.webhook_id and q.key = ${d}.ordering_key order by q.position limit 1)`;

/**
 * SQL: the state of the delivery of a row `q` of a queue. A subquery, so that it is looked up by its key: a join may
 * read all deliveries.
 */
export const statusInQueueSql = (deliveries = 'deliveries'): string =>
  `(select d.status from hookwright.${deliveries} d where d.id = q.delivery_id)`;

const passStatement: Statement = {
  name: 'pass_turns',
  text: `
    select webhook_id as "webhookId", key
    from hookwright.pass_turns($1::bigint[], $2::text[], array_fill(0::bigint, array[cardinality($1::bigint[])])),
      unnest(busy_webhook_ids, busy_keys) as busy(webhook_id, key)`,
};

const columnsOf = (keys: readonly TurnPayload[]) => [
  keys.map(({ webhookId }) => webhookId),
  keys.map(({ key }) => key),
];

/** Wakes the next deliveries of keys, at least one, that have none. @returns those that are busy */
export const passTurns = (sql: SqlTarget, keys: readonly TurnPayload[]): Promise<TurnPayload[]> =>
  query<TurnPayload>(sql, passStatement, columnsOf(keys));

const enqueueStatement: Statement = {
  name: 'enqueue_turns',
  text: 'select hookwright.enqueue_turn(webhook_id, key) from unnest($1::bigint[], $2::text[]) as busy(webhook_id, key)',
};

/** Adds the jobs that wake the next deliveries of keys. */
export async function enqueueTurns(sql: SqlTarget, keys: readonly TurnPayload[]): Promise<void> {
  await query(sql, enqueueStatement, columnsOf(keys));
}
