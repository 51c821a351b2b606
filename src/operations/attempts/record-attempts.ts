import type pg from 'pg';
import { isOfEndpoint } from '../../domain/deliveries/outcome.js';
import { idRange } from '../../domain/ids/delivery-id.js';
import { LANES } from '../../domain/pacing/lanes.js';
import type { DeliveryStatus } from '../../entities/delivery.js';
import { query, type Statement, type WithCommit } from '../../platform/database/database.js';
import { impatientTransaction } from '../../platform/database/impatient-transaction.js';
import { column, RowsParameter } from '../../platform/database/rows-parameter.js';
import { needsJobSql } from '../../platform/graphile-worker/job-conditions.js';
import { endTurns, type WakesHere } from '../ordering/turns.js';
import { attemptColumns, logAttemptsSql } from './attempt-columns.js';
import { countAttempts } from './count-attempts.js';
import { endProbes } from './end-probes.js';
import { type FinishedAttempt, hasFailed, withDelaysLeft } from './finished-attempt.js';
import type { DueDelivery } from './load-deliveries.js';
import { raiseOutcomeEvents } from './raise-outcome-events.js';
import { recordSuccesses } from './record-successes.js';
import { type DisabledWebhook, type HealthRules, lockWebhooks, updateHealth } from './update-health.js';

/**
 * Writes attempts, with their deliveries' states, webhook health, statistics, next jobs and operational events
 * (`raiseOutcomeEvents`), in one transaction. Each is a compare-and-set on the delivery's attempt count, so an attempt
 * that is recorded twice (by a zombie, after a lost reply) changes nothing the second time.
 *
 * A delivery that was held or canceled while its request was in flight keeps that state, unless the request succeeded:
 * what the receiver has acknowledged is not sent again. A held one whose last attempt this was has FAILED. If it was
 * also redelivered meanwhile, it starts its new run; one that waits for its turn since then is sent again whatever came
 * of the request. A check changes no health and raises no event. A probe that has failed leaves its delivery held, and
 * uses up no retry; one that has succeeded enables its webhook (`endProbes`). The end of an ordered one wakes the next
 * of its key, or blocks it.
 *
 * @param attempts in the order in which they ended; at most one per delivery
 * @param lockWaitMs how long a lock is waited for
 * @param wakesHere where the next ones of their keys are sent, if all have succeeded; null: by any daemon
 * @throws Error with LOCK_NOT_AVAILABLE, when another session has a row locked for longer
 */
export async function recordAttempts(
  pool: pg.Pool,
  attempts: readonly FinishedAttempt[],
  rules: HealthRules,
  lockWaitMs: number,
  wakesHere: WakesHere | null = null,
): Promise<Recorded> {
  const areQuiet = !attempts.some(
    (attempt) => hasFailed(attempt) || attempt.delivery.isCheck || attempt.delivery.isProbe,
  );
  const done = areQuiet ? await recordSuccesses(pool, attempts, lockWaitMs, wakesHere) : none;
  const others = attempts.filter(({ delivery }) => !done.has(delivery.id));
  if (others.length === 0) {
    return { statuses: attempts.map(() => 'SUCCEEDED'), disabled: [] };
  }
  const { statuses, disabled } = await impatientTransaction(pool, lockWaitMs, (client, withCommit) =>
    writeInto(client, withCommit, others, rules),
  );
  const statusOf = ({ id }: DueDelivery) => (done.has(id) ? 'SUCCEEDED' : (statuses.get(id) ?? null));
  return { statuses: attempts.map(({ delivery }) => statusOf(delivery)), disabled };
}

const none: ReadonlySet<number> = new Set();

/** @returns the states of the deliveries whose attempts were recorded, by id */
async function writeInto(
  client: pg.PoolClient,
  withCommit: WithCommit,
  finished: readonly FinishedAttempt[],
  rules: HealthRules,
): Promise<{ statuses: ReadonlyMap<number, `${DeliveryStatus}`>; disabled: DisabledWebhook[] }> {
  // Sent together, answered in order: webhooks are locked before deliveries, as everywhere.
  const locking = lockWebhooks(client, [...new Set(finished.map(({ delivery }) => delivery.webhookId))]);
  withCommit(locking);
  const nowMs = performance.now();
  const attempts = finished.map((attempt) => withDelaysLeft(attempt, nowMs));
  const hits = await query<RecordedRow>(client, recordStatement, recordValues(attempts));
  const statuses = new Map(hits.map(({ id, status }) => [id, status]));
  const counted = attempts.filter(({ delivery }) => statuses.has(delivery.id));
  const ordinary = counted.filter(({ delivery }) => !delivery.isCheck && !delivery.isProbe);
  const probes = counted.filter(({ delivery }) => delivery.isProbe);
  const locked = await locking;
  const after = probes.length === 0 ? { webhooks: locked, successes: [] } : await endProbes(client, locked, probes);
  const judged = [...ordinary, ...after.successes];
  const { webhookEvents, disabled, written } = updateHealth(client, after.webhooks, judged, rules);
  withCommit(written);
  if (counted.length > 0) {
    withCommit(countAttempts(client, counted));
  }
  const turns = counted.filter(({ delivery }) => delivery.isOrdered && isOver(statuses.get(delivery.id)));
  if (turns.length > 0) {
    // After the webhooks' states were written, which the next ones get.
    withCommit(
      endTurns(
        client,
        turns.map((one) => ({ ...one.delivery, failed: hasFailed(one) })),
      ),
    );
  }
  const exhausted = ordinary.filter(hasFailed).filter(({ delivery }) => statuses.get(delivery.id) === 'FAILED');
  const endedTurns = turns.filter(hasFailed);
  if (webhookEvents.length > 0 || exhausted.length > 0 || endedTurns.length > 0) {
    await raiseOutcomeEvents(client, { webhookEvents, exhausted, endedTurns, written: await written });
  }
  return { statuses, disabled };
}

const isOver = (status: string | undefined) => status === 'SUCCEEDED' || status === 'FAILED';

/** The state of a delivery whose attempt was recorded; null: it was not. */
export type RecordedStatus = `${DeliveryStatus}` | null;

interface Recorded {
  /** Per attempt. */
  statuses: RecordedStatus[];
  /** The webhooks that the attempts have disabled. */
  disabled: DisabledWebhook[];
}

interface RecordedRow {
  id: number;
  status: `${DeliveryStatus}`;
}

/** After the range of the deliveries' ids. */
const ended = new RowsParameter<FinishedAttempt>(
  {
    ...attemptColumns,
    succeeded: column.boolean((attempt) => !hasFailed(attempt)),
    retry_in_ms: column.double(({ retryInMs }) => retryInMs),
    run: column.integer(({ delivery }) => delivery.run),
    stays_held: column.boolean(
      ({ delivery, outcome }) => delivery.isProbe && !delivery.isCheck && isOfEndpoint(outcome),
    ),
  },
  { after: 2 },
);

const recordStatement: Statement = {
  name: 'record_attempts',
  text: `
    with ended as (select * from ${ended.as('ended')}),
    hit as (
      update hookwright.deliveries d
      set attempt_count = e.number,
          job_group = null, -- its job may go on with others: this one can be attempted again meanwhile
          attempts_before = case when d.run <> e.run then e.number
                                 when e.stays_held and not e.succeeded then d.attempts_before + 1
                                 else d.attempts_before end,
          status = case when d.status = 'WAITING' then d.status
                        when e.succeeded then 'SUCCEEDED'
                        when e.stays_held then d.status
                        when e.retry_in_ms is null and d.status <> 'CANCELED'
                          and d.run = e.run then 'FAILED'
                        else d.status end::hookwright.delivery_status,
          cancel_reason = case when not e.succeeded then d.cancel_reason end,
          due_at = case when e.retry_in_ms is null or d.run <> e.run then d.due_at
                        else clock_timestamp() + e.retry_in_ms * interval '1 millisecond' end,
          finished_at = case when d.status <> 'WAITING'
                               and (e.succeeded or (e.retry_in_ms is null and d.run = e.run and not e.stays_held))
                             then clock_timestamp() else d.finished_at end,
          last_status_code = e.status_code, last_error_code = e.error_code
      from ended e
      where d.id = e.delivery_id and d.id = any(${ended.array('delivery_id')})
        and d.id between $1::bigint and $2::bigint
        and (d.tenant_id = e.tenant_id) is true
        and d.attempt_count = e.number - 1 and (d.status in ('PENDING', 'WAITING', 'HELD', 'CANCELED')) is true
      returning d.id, d.status, d.attempt_count, d.due_at, d.erased),
    logged as (${logAttemptsSql}),
    queued as (
      select hookwright.enqueue_deliveries(array_agg(id), array_agg(attempt_count + 1), array_agg(due_at),
               array_agg(${LANES.RETRY.priority}))
      from hit where status = 'PENDING' and ${needsJobSql('due_at')} having count(*) > 0)
    select id, status from hit where (select count(*) from queued) >= 0`,
};

const recordValues = (attempts: readonly FinishedAttempt[]): unknown[] => [
  ...idRange(attempts.map(({ delivery }) => delivery.id)),
  ...ended.values(attempts),
];
