import type pg from 'pg';
import { idRange } from '../../domain/ids/delivery-id.js';
import { query, type Statement } from '../../platform/database/database.js';
import { impatientTransaction } from '../../platform/database/impatient-transaction.js';
import { column, RowsParameter } from '../../platform/database/rows-parameter.js';
import { needsJobSql } from '../../platform/graphile-worker/job-conditions.js';
import { countsAsHeldSql } from '../deliveries/counts-as-held.js';
import { isProvedSql } from '../proofs/proved.js';

export interface TurnedAway {
  id: number;
  /** The priority of its next job. */
  priority: number;
}

/** The whole batch waits for a lock. */
const LOCK_WAIT_MS = 100;

/** After the range of their ids. */
const turned = new RowsParameter<TurnedAway>(
  { id: column.bigint(({ id }) => id), priority: column.integer(({ priority }) => priority) },
  { after: 2 },
);

/**
 * Locks deliveries in the order of ids, as an alignment does. `opens_at` is asked once all are locked (the sort sees to
 * that): the endpoint may have been opened meanwhile, and the deliveries that wait for it woken.
 */
const turnAwayStatement: Statement = {
  name: 'turn_away_deliveries',
  text: `
    with judged as materialized (
      select d.id, d.webhook_id, turned.priority, d.attempt_count, d.due_at, d.settling_since, w.moving,
             d.is_check and ${isProvedSql('w')} or w.active and not ${countsAsHeldSql('d', 'w')} as active,
             case when w.deleted_at is not null then 'WEBHOOK_DELETED'
                  when (select e.erased_at from hookwright.events e
                        where e.tenant_id = d.tenant_id and e.id = d.event_id) is not null then 'ERASED'
             end::hookwright.cancel_reason as ended_by
      from hookwright.deliveries d join hookwright.webhooks w on w.id = d.webhook_id
           join ${turned.as('turned')} on turned.id = d.id
      where d.id = any(${turned.array('id')}) and d.id between $1 and $2 and (d.status = 'PENDING') is true
      order by d.id for update of d),
    turned_away as (
      update hookwright.deliveries d
      set status = case when j.ended_by is null then 'HELD' else 'CANCELED' end::hookwright.delivery_status,
          cancel_reason = j.ended_by, finished_at = case when j.ended_by is not null then now() end
      from judged j
      where d.id = j.id and d.id = any(${turned.array('id')}) and d.id between $1 and $2
        and (d.status = 'PENDING') is true and (j.ended_by is not null or not j.active) and not j.moving
      returning d.id, d.tenant_id, d.ordering_key, d.status),
    ended as (
      select hookwright.end_turns(array_agg(tenant_id), array_agg(id))
      from turned_away where ordering_key is not null and status = 'CANCELED' having count(*) > 0),
    waiting as (
      select id, attempt_count, priority, greatest(due_at, case when moving then now() + interval '1 minute'
                                                           else hookwright.opens_at(webhook_id) end) as job_at
      from (select * from judged
            where (moving or active and ended_by is null) and (settling_since is null or ${needsJobSql('due_at')})
            order by id offset 0) as locked)
    select hookwright.enqueue_deliveries(array_agg(id), array_agg(attempt_count + 1), array_agg(job_at),
             array_agg(priority))
    from waiting where (select count(*) from ended) >= 0`,
};

/**
 * Ends the jobs of deliveries that wait for something, without burning an attempt. Where the webhook is inactive or
 * deleted, the event erased, or the delivery counts as held, it is held or canceled; a check is held only before the
 * proof of its endpoint. Where its time has not come, or its endpoint is closed, the job is put off until then; by a
 * minute where its tenant moves to another cell, which changes nothing else.
 *
 * @param deliveries each delivery once
 * @throws Error with LOCK_NOT_AVAILABLE, where another session has one of them, or its job, locked
 */
export async function turnAwayDeliveries(
  pool: pg.Pool,
  deliveries: readonly TurnedAway[],
  lockWaitMs: number = LOCK_WAIT_MS,
): Promise<null[]> {
  const values = [...idRange(deliveries.map(({ id }) => id)), ...turned.values(deliveries)];
  await impatientTransaction(pool, lockWaitMs, (client) => query(client, turnAwayStatement, values));
  return deliveries.map(() => null);
}
