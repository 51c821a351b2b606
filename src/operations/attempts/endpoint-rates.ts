import type pg from 'pg';
import { burstOf, TAKEN_AHEAD_MS } from '../../domain/pacing/request-rate.js';
import { query, type Statement } from '../../platform/database/database.js';
import { column, RowsParameter } from '../../platform/database/rows-parameter.js';

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
}

const asked = new RowsParameter<WantedTimes>({
  webhook_id: column.bigint(({ webhookId }) => webhookId),
  per_second: column.double(({ perSecond }) => perSecond),
  burst: column.integer(({ perSecond }) => burstOf(perSecond)),
  wanted: column.integer(({ wanted }) => wanted),
  given_back: column.integer(({ givenBack }) => givenBack),
  known_ms: column.double(({ nextMs }) => nextMs),
  late_ms: column.double(({ lateMs }) => lateMs),
});

/** Postgres counts microseconds, and a number of milliseconds since 1970 has fewer digits. */
const SAME_MS = 0.01;
const until = `now() + interval '${TAKEN_AHEAD_MS} milliseconds'`;
const inMs = (time: string) => `extract(epoch from ${time})::float8 * 1000`;

/**
 * A row is never further away than the daemons could have brought it, so it heals when the rate rises and when the
 * clock of Postgres goes back.
 */
const takeStatement: Statement = {
  name: 'take_times',
  text: `
    with asked as materialized (
      select *, interval '1 second' / per_second as every from ${asked.as('asked')}
    ), added as (
      insert into hookwright.endpoint_rates (webhook_id, next_at)
      select webhook_id, '-infinity' from asked a
      where not exists (select from hookwright.endpoint_rates r where r.webhook_id = a.webhook_id)
      on conflict do nothing
    ), standing as materialized (
      select a.*, greatest(least(r.next_at - case when abs(${inMs('r.next_at')} - known_ms) < ${SAME_MS}
                                                  then given_back else 0 end * every,
                                 ${until} + every),
                           now() - (burst - 1) * every + late_ms * interval '1 millisecond') as first_at
      from asked a join hookwright.endpoint_rates r on r.webhook_id = a.webhook_id
      order by r.webhook_id for no key update of r
    ), granted as materialized (
      select *, greatest(0, least(wanted, floor(extract(epoch from ${until} - first_at)::float8 * per_second) + 1))::integer
                  as count
      from standing
    ), moved as (
      update hookwright.endpoint_rates r set next_at = first_at + count * every
      from granted g where r.webhook_id = g.webhook_id and count > 0
    )
    select webhook_id as "webhookId", count, ${inMs('first_at')} as "firstMs",
           ${inMs('first_at + count * every')} as "nextMs", ${inMs('now()')} as "nowMs"
    from granted`,
};

/**
 * Takes times for requests to endpoints with a rate: of each at most as many as are wanted, and none that is further
 * away than `TAKEN_AHEAD_MS`. Endpoints that have no row yet are missing from the answer, and have one the next time.
 */
export const takeTimes = (pool: pg.Pool, wanted: readonly WantedTimes[]): Promise<GrantedTimes[]> =>
  query<GrantedTimes>(pool, takeStatement, asked.values(wanted));
