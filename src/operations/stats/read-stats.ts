import type { Statement } from '../../database/database.js';
import { LATENCY_BUCKETS } from '../../domain/latency.js';
import type { StatsCounts, StatsRange } from '../../domain/stats.js';
import { type SearchDeps, searchPrepared } from '../explorer/search.js';
import { isWrittenSql } from './roll-up-stats.js';

/** Of the webhook `w`, which may stand for all (0), of one event type or all (''), rolled up to this resolution. */
const series = (resolution: 'MINUTE' | 'HOUR' | 'DAY', from: string, until: string) => `
  select bucket, successes, failures, latency_histogram from hookwright.delivery_stats
  where tenant_id = $1::bigint and webhook_id = w.id and event_type = $3::text
    and resolution = '${resolution}'
    and bucket >= ${from} and bucket < least($6::timestamptz, ${until})`;

const mark = (name: string) => `(select ${name} from progress)`;

const histogramSql = Array.from(
  { length: LATENCY_BUCKETS },
  (_, index) => `sum(latency_histogram[${index + 1}])`,
).join(', ');

/**
 * Days and hours as far as they are rolled up, then minutes as far as they have their sums, then what the outcomes
 * wrote since. That comes through an index by time, once for all: it is a minute or two, of whichever webhook.
 */
const statement: Statement = {
  name: 'read_stats',
  text: `
    with progress as materialized (select * from hookwright.stats_progress),
    newest as materialized (
      select webhook_id, bucket, successes, failures, latency_histogram from hookwright.delivery_stats
      where tenant_id = $1 and resolution = 'MINUTE' and ${isWrittenSql}
        and bucket >= greatest($5, ${mark('minutes_until')}) and bucket < $6 and ($3 = '' or event_type = $3))
    select w.id as "webhookId", (extract(epoch from start) * 1000)::bigint as "startMs", successes, failures,
           array_to_string(histogram, ',') as histogram
    from unnest($2::bigint[]) as w(id) cross join lateral (
      select case when $7::boolean then date_trunc($4, bucket, 'UTC') else $5 end as start,
             sum(successes) as successes, sum(failures) as failures, array[${histogramSql}] as histogram
      from (
        ${series('DAY', '$5::timestamptz', mark('days_until'))} and $4::text = 'DAY'
        union all
        ${series('HOUR', `case when $4 = 'DAY' then greatest($5, ${mark('days_until')}) else $5 end`, mark('hours_until'))}
          and $4 <> 'MINUTE'
        union all
        ${series('MINUTE', `case when $4 = 'MINUTE' then $5 else greatest($5, ${mark('hours_until')}) end`, mark('minutes_until'))}
        union all
        select bucket, successes, failures, latency_histogram from newest
        where w.id = 0 or webhook_id = w.id) as parts
      group by 1) as buckets`,
};

interface Row {
  webhookId: number;
  startMs: number;
  successes: number;
  failures: number;
  histogram: string;
}

/** Stands for all webhooks of the tenant together. */
export const ALL_WEBHOOKS = 0;

export interface StatsQuestion {
  /** Null: all. */
  eventType: string | null;
  range: StatsRange;
  /** Else all of the range is one, which begins where it does: a sum of many is read as one row. */
  inBuckets: boolean;
}

/**
 * What was counted in each bucket of a range, the newest attempts included; buckets of nothing are left out.
 *
 * @param webhookIds each one once, or `ALL_WEBHOOKS`
 * @returns by webhook; without those of which nothing was counted
 * @throws ApiError search_timed_out, rate_limited: as a search it waits for its tenant's turn
 */
export async function readStats(
  deps: SearchDeps,
  tenantId: number,
  webhookIds: readonly number[],
  { eventType, inBuckets, range: { resolution, since, until } }: StatsQuestion,
): Promise<Map<number, StatsCounts[]>> {
  const values = [tenantId, webhookIds, eventType ?? '', resolution, since, until, inBuckets];
  const rows = await searchPrepared<Row>(deps, tenantId, statement, values, {
    what: 'statistics',
    advice: 'Ask for a shorter time, longer buckets or fewer webhooks.',
  });
  const read = rows.map(({ histogram, ...row }) => ({ ...row, histogram: histogram.split(',').map(Number) }));
  return Map.groupBy(read, ({ webhookId }) => webhookId);
}
