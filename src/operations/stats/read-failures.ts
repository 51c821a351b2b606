import type { FailureCounts } from '../../domain/stats/failure-reason.js';
import type { StatsRange } from '../../domain/stats/stats.js';
import type { Statement } from '../../platform/database/database.js';
import type { SearchDeps } from '../explorer/search.js';
import { mark, readBuckets, rolledUpSql } from './series.js';

const series = (resolution: string, from: string, until: string) => `
  select bucket, reason, failures from hookwright.failure_stats
  where tenant_id = $1::bigint and webhook_id = w.id and resolution = '${resolution}'
    and bucket >= ${from} and bucket < least($5::timestamptz, ${until})`;

/** Days and hours as far as they are rolled up, minutes as far as they have their sums, then rows of outcomes since. */
const statement: Statement = {
  name: 'read_failures',
  text: `
    with progress as materialized (select * from hookwright.stats_progress),
    newest as materialized (
      select s.* from (
        select generate_series(date_trunc('minute', greatest($4::timestamptz, ${mark('minutes_until')})),
                               least($5, now() + interval '1 minute'), interval '1 minute') as minute) m
      cross join lateral (
        select webhook_id, bucket, reason, failures from hookwright.failure_stats
        where tenant_id = $1 and resolution = 'MINUTE' and webhook_id <> 0
          and bucket = m.minute and bucket >= $4 and bucket < $5 offset 0) s)
    select w.id as "ofId", (extract(epoch from start) * 1000)::bigint as "startMs", reason, failures
    from unnest($2::bigint[]) as w(id) cross join lateral (
      select date_trunc($3::text, bucket, 'UTC') as start, reason, sum(failures) as failures
      from (
        ${rolledUpSql(series, { resolution: '$3', since: '$4' }, mark('minutes_until'))}
        union all
        select bucket, reason, failures from newest where w.id = 0 or webhook_id = w.id) as parts
      group by 1, 2) as buckets`,
};

/**
 * Failed attempts in each bucket of a range, by webhook and reason.
 *
 * @param tenantId PLATFORM: the installation, without the last minute or two
 * @param webhookIds each one once, or `ALL_WEBHOOKS`
 * @throws ApiError search_timed_out, rate_limited
 */
export const readFailures = (
  deps: SearchDeps,
  tenantId: number,
  webhookIds: readonly number[],
  range: StatsRange,
): Promise<Map<number, FailureCounts[]>> => readBuckets<FailureCounts>(deps, statement, tenantId, webhookIds, range);
