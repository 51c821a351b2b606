import type pg from 'pg';
import { burstOf, TAKEN_AHEAD_MS } from '../../domain/pacing/request-rate.js';
import { query, type Statement } from '../../platform/database/database.js';
import { type Column, column, RowsParameter } from '../../platform/database/rows-parameter.js';

export interface WantedTimes {
  webhookId: number;
  perSecond: number;
  /** How many. */
  wanted: number;
  /** How many of the times before `nextMs` were not used. */
  givenBack: number;
  /** The first time that the last answer has left for others; if it still is, all times from there on are free. */
  nextMs: number;
  /** How late answers come: a time that is over by then would be of no use. */
  lateMs: number;
  /** The rate of its tenant; null: it has none. */
  ofTenant?: WantedOfTenant | null;
}

interface WantedOfTenant {
  tenantId: number;
  perSecond: number;
  /** How many of the tenant's requests were granted before, and did not begin in time. */
  givenBack: number;
}

/** Times for requests to one endpoint, by Postgres's clock, in ms since 1970. */
export interface GrantedTimes {
  webhookId: number;
  firstMs: number;
  /** How many, 1 ÷ rate apart. */
  count: number;
  /** The first one that is left for others. */
  nextMs: number;
  /** When they were granted. */
  nowMs: number;
  /** The first time of its tenant that was left for others before, and is now; only with a tenant's rate. */
  tenantStoodMs?: number;
  tenantNextMs?: number;
}

const columns = {
  webhook_id: column.bigint(({ webhookId }) => webhookId),
  per_second: column.double(({ perSecond }) => perSecond),
  burst: column.integer(({ perSecond }) => burstOf(perSecond)),
  wanted: column.integer(({ wanted }) => wanted),
  given_back: column.integer(({ givenBack }) => givenBack),
  known_ms: column.double(({ nextMs }) => nextMs),
  late_ms: column.double(({ lateMs }) => lateMs),
} satisfies Record<string, Column<WantedTimes>>;
const asked = new RowsParameter<WantedTimes>(columns);

interface LimitedTimes extends WantedTimes {
  ofTenant: WantedOfTenant;
  /** The place of the endpoint among those of its tenant. */
  place: number;
}

const askedOfLimited = new RowsParameter<LimitedTimes>({
  ...columns,
  tenant_id: column.bigint(({ ofTenant }) => ofTenant.tenantId),
  tenant_per_second: column.double(({ ofTenant }) => ofTenant.perSecond),
  tenant_burst: column.integer(({ ofTenant }) => burstOf(ofTenant.perSecond)),
  tenant_given_back: column.integer(({ ofTenant }) => ofTenant.givenBack),
  place: column.integer(({ place }) => place),
});

/** Postgres counts microseconds, and a number of milliseconds since 1970 has fewer digits. */
const SAME_MS = 0.01;
const until = `now() + interval '${TAKEN_AHEAD_MS} milliseconds'`;
const inMs = (time: string) => `extract(epoch from ${time})::float8 * 1000`;

/** When the next request of an endpoint may begin, whatever its tenant's rate is. */
const firstAt = `greatest(least(r.next_at - case when abs(${inMs('r.next_at')} - a.known_ms) < ${SAME_MS}
                                                  then a.given_back else 0 end * a.every,
                                 ${until} + a.every),
                           now() - (a.burst - 1) * a.every + a.late_ms * interval '1 millisecond')`;
/**
 * A clock that was wrong has left the row there, or a lower rate: no time can be had until it is moved. A daemon whose
 * statement waited for the row may find it a little ahead of its own `now()`.
 */
const isAhead = `r.next_at > ${until} + a.every + interval '10 seconds' as is_ahead`;
const countFrom = (first: string, perSecond: string) =>
  `floor(extract(epoch from ${until} - ${first})::float8 * ${perSecond}) + 1`;
const added = `
      insert into hookwright.endpoint_rates (webhook_id, next_at)
      select webhook_id, '-infinity' from asked a
      where not exists (select from hookwright.endpoint_rates r where r.webhook_id = a.webhook_id)
      on conflict do nothing`;

/**
 * A row is never further away than the daemons could have brought it, so it heals when the rate rises and when the
 * clock of Postgres goes back.
 */
const takeStatement: Statement = {
  name: 'take_times',
  text: `
    with asked as materialized (
      select *, interval '1 second' / per_second as every from ${asked.as('asked')}
    ), added as (${added}
    ), standing as materialized (
      select a.*, ${firstAt} as first_at, ${isAhead}
      from asked a join hookwright.endpoint_rates r on r.webhook_id = a.webhook_id
      order by r.webhook_id for no key update of r
    ), granted as materialized (
      select *, greatest(0, least(wanted, ${countFrom('first_at', 'per_second')}))::integer as count
      from standing
    ), moved as (
      update hookwright.endpoint_rates r set next_at = first_at + count * every
      from granted g where r.webhook_id = g.webhook_id and (count > 0 or is_ahead)
    )
    select webhook_id as "webhookId", count, ${inMs('first_at')} as "firstMs",
           ${inMs('first_at + count * every')} as "nextMs", ${inMs('now()')} as "nowMs"
    from granted`,
};

/**
 * The same for endpoints of tenants with a rate. Those of one tenant get its requests in their order, and each takes as
 * many of the tenant's as of its own, from the same moment on. Tenants are locked before endpoints.
 */
const takeLimitedStatement: Statement = {
  name: 'take_limited_times',
  text: `
    with asked as materialized (
      select *, interval '1 second' / per_second as every, interval '1 second' / tenant_per_second as tenant_every
      from ${askedOfLimited.as('asked')}
    ), added as (${added}
    ), added_tenants as (
      insert into hookwright.tenant_rates (tenant_id) select distinct tenant_id from asked a
      where not exists (select from hookwright.tenant_rates r where r.tenant_id = a.tenant_id)
      on conflict do nothing
    ), tenants as materialized (
      select t.*, r.requests_next_at as stood_at, greatest(least(r.requests_next_at - t.given_back * t.every, ${until} + t.every),
                           now() - (t.burst - 1) * t.every + t.late_ms * interval '1 millisecond') as first_at
      from (select tenant_id, max(tenant_every) as every, max(tenant_per_second) as per_second,
                   max(tenant_burst) as burst, max(late_ms) as late_ms, sum(tenant_given_back) as given_back
            from asked group by tenant_id) t
      join hookwright.tenant_rates r on r.tenant_id = t.tenant_id
      order by r.tenant_id for no key update of r
    ), standing as materialized (
      select a.*, ${firstAt} as own_at, ${isAhead}, t.first_at as tenant_at,
             ${countFrom('t.first_at', 't.per_second')} as tenant_count
      from asked a join tenants t on t.tenant_id = a.tenant_id
      join hookwright.endpoint_rates r on r.webhook_id = a.webhook_id
      order by r.webhook_id for no key update of r
    ), possible as materialized (
      select *, greatest(0, least(wanted, ${countFrom('own_at', 'per_second')})) as possible from standing
    ), placed as materialized (
      select *, sum(possible) over (partition by tenant_id order by place) - possible as before from possible
    ), timed as materialized (
      select *, greatest(own_at, tenant_at + before * tenant_every) as first_at,
             greatest(0, least(possible, tenant_count - before)) as allowed
      from placed
    ), granted as materialized (
      select *, greatest(0, least(allowed, ${countFrom('first_at', 'per_second')}))::integer as count from timed
    ), moved as (
      update hookwright.endpoint_rates r set next_at = case when count > 0 then first_at + count * every else own_at end
      from granted g where r.webhook_id = g.webhook_id and (count > 0 or is_ahead)
    ), moving as materialized (
      select t.tenant_id, t.stood_at,
             case when g.count > 0 or t.given_back > 0 or t.stood_at > t.first_at
               then t.first_at + g.count * t.every else t.stood_at end as next_at
      from tenants t join (select tenant_id, sum(count) as count from granted group by tenant_id) g
        on g.tenant_id = t.tenant_id
    ), moved_tenants as (
      update hookwright.tenant_rates r set requests_next_at = m.next_at
      from moving m where r.tenant_id = m.tenant_id and m.next_at <> m.stood_at
    )
    select webhook_id as "webhookId", count, ${inMs('case when count > 0 then first_at else own_at end')} as "firstMs",
           ${inMs('case when count > 0 then first_at + count * every else own_at end')} as "nextMs",
           ${inMs('now()')} as "nowMs", coalesce(nullif(${inMs('stood_at')}, '-infinity'), 0) as "tenantStoodMs",
           coalesce(nullif(${inMs('next_at')}, '-infinity'), 0) as "tenantNextMs"
    from granted g join moving m on m.tenant_id = g.tenant_id`,
};

/**
 * Takes times for requests to endpoints with a rate: of each at most as many as are wanted, and none that is further
 * away than `TAKEN_AHEAD_MS`. Endpoints that have no row yet are missing from the answer, and have one the next time.
 */
export async function takeTimes(pool: pg.Pool, wanted: readonly WantedTimes[]): Promise<GrantedTimes[]> {
  const limited = wanted.flatMap((one, place) => (one.ofTenant ? [{ ...one, ofTenant: one.ofTenant, place }] : []));
  const others = wanted.filter(({ ofTenant }) => !ofTenant);
  const granted = await Promise.all([
    others.length === 0 ? [] : query<GrantedTimes>(pool, takeStatement, asked.values(others)),
    limited.length === 0 ? [] : query<GrantedTimes>(pool, takeLimitedStatement, askedOfLimited.values(limited)),
  ]);
  return granted.flat();
}
