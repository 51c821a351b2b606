import type { QueueRead } from '../../domain/stats/queue.js';
import type { StatsRange } from '../../domain/stats/stats.js';
import type { Statement } from '../../platform/database/database.js';
import { type SearchDeps, search } from '../explorer/search.js';

const mark = (name: string) => `(select ${name} from progress)`;

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
        ${series('DAY', '$4', mark('days_until'))} and $3 = 'DAY'
        union all
        ${series('HOUR', `case when $3 = 'DAY' then greatest($4, ${mark('days_until')}) else $4 end`, mark('hours_until'))}
          and $3 <> 'MINUTE'
        union all
        ${series('MINUTE', `case when $3 = 'MINUTE' then $4 else greatest($4, ${mark('hours_until')}) end`, '$5')}
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
export async function readQueue(
  deps: SearchDeps,
  tenantId: number,
  webhookIds: readonly number[],
  { resolution, since, until }: StatsRange,
): Promise<Map<number, QueueRead[]>> {
  const rows = await search<QueueRead & { ofId: number }>(
    deps,
    tenantId,
    statement,
    [tenantId, webhookIds, resolution, since, until],
    { what: 'statistics', advice: 'Ask for a shorter time, longer buckets or fewer webhooks.' },
  );
  return Map.groupBy(rows, ({ ofId }) => ofId);
}
