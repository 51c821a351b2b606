import type { QueueRead } from '../../domain/stats/queue.js';
import type { StatsRange } from '../../domain/stats/stats.js';
import type { Statement } from '../../platform/database/database.js';
import type { SearchDeps } from '../explorer/search.js';
import { readBuckets, rolledUpSql } from '../stats/series.js';

const series = (resolution: string, from: string, until: string) => `
  select bucket, due, held, oldest_seconds, is_more from hookwright.queue_stats
  where tenant_id = $1::bigint and webhook_id = w.id and resolution = '${resolution}'
    and bucket >= ${from} and bucket < least($5::timestamptz, ${until})`;

/**
 * Days and hours as far as they are rolled up, then minutes. Of buckets in which nobody counted, or not every webhook,
 * come rows without figures.
 */
const statement: Statement = {
  name: 'read_queue',
  text: `
    with progress as materialized (select * from hookwright.stats_progress),
    unknown as materialized (
      select start as bucket
      from generate_series($4::timestamptz, $5::timestamptz - ('1 ' || $3::text)::interval, ('1 ' || $3)::interval) start
      where start > (select counted_until from hookwright.queue_progress)
         or exists (select from hookwright.queue_gaps where since <= start and until >= start + ('1 ' || $3)::interval)
      union
      select date_trunc($3, bucket, 'UTC') from hookwright.queue_uncounted
      where $1 <> 0 and resolution in ('MINUTE', 'HOUR', 'DAY') and bucket >= $4 and bucket < $5)
    select w.id as "ofId", (extract(epoch from start) * 1000)::bigint as "startMs", due, held,
           oldest as "oldestSeconds", "isMore"
    from unnest($2::bigint[]) as w(id) cross join lateral (
      select date_trunc($3, bucket, 'UTC') as start, max(due) as due, max(held) as held, max(oldest_seconds) as oldest,
             bool_or(is_more) as "isMore"
      from (
        ${rolledUpSql(series, { resolution: '$3', since: '$4' }, '$5')}
        union all
        select bucket, null, null, null, false from unknown) as parts
      group by 1) as buckets`,
};

/**
 * The buckets of a range in which something was queued, or nobody counted, by webhook.
 *
 * @param tenantId PLATFORM: the installation
 * @param webhookIds each one once, or `ALL_WEBHOOKS`: all those that were counted
 * @throws ApiError search_timed_out, rate_limited
 */
export const readQueue = (
  deps: SearchDeps,
  tenantId: number,
  webhookIds: readonly number[],
  range: StatsRange,
): Promise<Map<number, QueueRead[]>> => readBuckets<QueueRead>(deps, statement, tenantId, webhookIds, range);
