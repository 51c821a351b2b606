import type pg from 'pg';
import { type HasPool, query, type Statement } from '../../platform/database/database.js';
import { column, RowsParameter } from '../../platform/database/rows-parameter.js';
import { tenantQuery } from '../../platform/database/tenant-database.js';

/** A daemon's report of one endpoint. */
export interface EndpointState {
  webhookId: number;
  tenantId: number;
  /** Most requests in flight at present. */
  window: number;
  inFlight: number;
  /** Deliveries that wait for a permit and occupy a slot meanwhile. */
  waiting: number;
  /** Deliveries that are due and in hand of the daemon: those that wait, and those that it has put off. */
  due: number;
  /** How often a delivery was put off since the daemon learnt of the endpoint. */
  putOffs: number;
  /** Smoothed duration of an attempt; null before the first one. */
  meanMs: number | null;
}

/** After this long without a word, a daemon has nothing in flight or waiting any more. */
const STALE_SECONDS = 10;

/** After the daemon's id. */
const reported = new RowsParameter<EndpointState>(
  {
    webhook_id: column.bigint(({ webhookId }) => webhookId),
    tenant_id: column.bigint(({ tenantId }) => tenantId),
    window_limit: column.integer(({ window }) => window),
    in_flight: column.integer(({ inFlight }) => inFlight),
    waiting: column.integer(({ waiting }) => waiting),
    due: column.integer(({ due }) => due),
    put_offs: column.bigint(({ putOffs }) => putOffs),
    mean_ms: column.double(({ meanMs }) => meanMs),
  },
  { after: 1 },
);

const reportStatement: Statement = {
  name: 'report_endpoint_states',
  text: `
    insert into hookwright.endpoint_states (daemon_id, ${reported.names})
    select $1::uuid, * from ${reported.as('reported')}
    on conflict (webhook_id, daemon_id) do update
    set tenant_id = excluded.tenant_id, window_limit = excluded.window_limit, in_flight = excluded.in_flight,
        waiting = excluded.waiting, due = excluded.due, put_offs = excluded.put_offs, mean_ms = excluded.mean_ms, updated_at = now()`,
};

/** @param daemonId a UUID of the process */
export async function reportEndpointStates(
  pool: pg.Pool,
  daemonId: string,
  states: readonly EndpointState[],
): Promise<void> {
  await query(pool, reportStatement, [daemonId, ...reported.values(states)]);
}

const readStatement: Statement = {
  name: 'read_endpoint_states',
  text: `
    with said as (
      select *, updated_at > now() - ${STALE_SECONDS} * interval '1 second' as current from hookwright.endpoint_states
      where webhook_id = any($2::bigint[]) and tenant_id = $1)
    select webhook_id as "webhookId", $1::bigint as "tenantId", sum(window_limit)::integer as "window",
           coalesce(sum(in_flight) filter (where current), 0)::integer as "inFlight",
           coalesce(sum(waiting) filter (where current), 0)::integer as waiting,
           coalesce(sum(due) filter (where current), 0)::integer as due,
           sum(put_offs)::bigint as "putOffs", avg(mean_ms) as "meanMs"
    from said s
    where current or not exists (select from said other where other.webhook_id = s.webhook_id and other.current)
    group by webhook_id`,
};

/** The sums of all daemons' present reports, or else of their last ones, by webhook. */
export async function readEndpointStates(
  db: HasPool,
  tenantId: number,
  webhookIds: readonly number[],
): Promise<Map<number, EndpointState>> {
  const states = await tenantQuery<EndpointState>(db.pool, tenantId, readStatement, [tenantId, [...webhookIds]]);
  return new Map(states.map((state) => [state.webhookId, state]));
}
