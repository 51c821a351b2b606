import type pg from 'pg';
import { query, type Statement } from '../../platform/database/database.js';
import { column, RowsParameter } from '../../platform/database/rows-parameter.js';
import { laterJobsSql } from '../../platform/graphile-worker/job-conditions.js';

export interface LookedWebhook {
  webhookId: number;
  /** The daemon that asks takes times for it, and no other does. */
  isAlone: boolean;
  /** The tenant, if it has a rate: its times are taken for any of its endpoints. */
  tenantId?: number;
}

/** Due deliveries of a webhook with a rate. */
export interface LeftPutOffs {
  webhookId: number;
  /** No other daemon takes times for the webhook: one that has put deliveries off has ended. */
  isIdle: boolean;
  /** If so, those whose jobs run later, the oldest first. */
  deliveries: { id: number; priority: number }[];
}

const LEFT_MAX = 200;
/** A daemon that lives and has deliveries in hand takes each time before it has come. */
const IDLE_SECONDS = 0.2;

const looked = new RowsParameter<LookedWebhook>({
  id: column.bigint(({ webhookId }) => webhookId),
  alone: column.boolean(({ isAlone }) => isAlone),
  tenant_id: column.bigint(({ tenantId = null }) => tenantId),
});

const findStatement: Statement = {
  name: 'find_left_put_offs',
  text: `
    select w.id as "webhookId", w.idle as "isIdle",
           coalesce(json_agg(json_build_object('id', j.id, 'priority', j.priority) order by d.due_at)
                      filter (where j.id is not null), '[]') as deliveries
    from (
      select l.id, l.alone or coalesce(greatest(r.next_at, t.requests_next_at) < now() - interval '${IDLE_SECONDS} s', true)
                     as idle
      from ${looked.as('l')} join hookwright.webhooks w on w.id = l.id and not w.moving
      left join hookwright.endpoint_rates r on r.webhook_id = l.id
      left join hookwright.tenant_rates t on t.tenant_id = l.tenant_id) w
    cross join lateral (
      select d.id, d.due_at from hookwright.deliveries d
      where d.webhook_id = w.id and d.status = 'PENDING' and d.due_at <= now()
      order by d.due_at limit case when w.idle then ${LEFT_MAX} else 1 end) d
    left join lateral (${laterJobsSql('d.id')}) j on w.idle
    group by w.id, w.idle`,
};

/** Webhooks without due deliveries are missing from the answer. */
export const findLeftPutOffs = (pool: pg.Pool, webhooks: readonly LookedWebhook[]): Promise<LeftPutOffs[]> =>
  query<LeftPutOffs>(pool, findStatement, looked.values(webhooks));
