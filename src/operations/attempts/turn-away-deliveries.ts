import type pg from 'pg';
import { query, type Statement } from '../../database/database.js';
import { column, RowsParameter } from '../../database/rows-parameter.js';
import { idRange } from '../../domain/delivery-id.js';
import { countsAsHeldSql } from '../deliveries/counts-as-held.js';

export interface TurnedAway {
  id: number;
  /** Of the job that takes its place. */
  priority: number;
}

/** After the range of their ids. */
const turned = new RowsParameter<TurnedAway>(
  { id: column.bigint(({ id }) => id), priority: column.integer(({ priority }) => priority) },
  { after: 2 },
);

/**
 * Locked in the order of ids, as everywhere: the webhook may be settling. Until when its endpoint is closed is asked
 * when all are locked (the sort sees to that): it may have been opened meanwhile, and those that wait for it woken.
 */
const turnAwayStatement: Statement = {
  name: 'turn_away_deliveries',
  text: `
    with judged as materialized (
      select d.id, d.webhook_id, turned.priority, d.attempt_count, d.due_at,
             w.active and not ${countsAsHeldSql('d', 'w')} as active, w.deleted_at is not null as deleted
      from hookwright.deliveries d join hookwright.webhooks w on w.id = d.webhook_id
           join ${turned.as('turned')} on turned.id = d.id
      where d.id = any(${turned.array('id')}) and d.id between $1 and $2 and (d.status = 'PENDING') is true
      order by d.id for update of d),
    turned_away as (
      update hookwright.deliveries d
      set status = case when j.deleted then 'CANCELED' else 'HELD' end::hookwright.delivery_status,
          cancel_reason = case when j.deleted then 'WEBHOOK_DELETED' end::hookwright.cancel_reason,
          finished_at = case when j.deleted then now() end
      from judged j
      where d.id = j.id and d.id = any(${turned.array('id')}) and d.id between $1 and $2
        and (d.status = 'PENDING') is true and (j.deleted or not j.active))
    select hookwright.enqueue_deliveries(array_agg(id), array_agg(attempt_count + 1),
             array_agg(greatest(due_at, hookwright.opens_at(webhook_id))), array_agg(priority))
    from (select * from judged where active and not deleted order by id offset 0) as locked`,
};

/**
 * Ends the jobs of deliveries that wait for something. Where the webhook is inactive or deleted the delivery is held or
 * canceled; so is it held where it counts as held already. Where its time has not come, or its endpoint is closed, the
 * job is put off until then. No attempt is burned either way. The conditions are those of the load, judged again: what
 * has changed since then wins.
 *
 * @param deliveries each delivery once
 */
export async function turnAwayDeliveries(pool: pg.Pool, deliveries: readonly TurnedAway[]): Promise<null[]> {
  await query(pool, turnAwayStatement, [
    ...idRange(deliveries.map(({ id }) => id)),
    ...turned.values(deliveries),
  ]);
  return deliveries.map(() => null);
}
