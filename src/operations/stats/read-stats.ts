import type { StatsCounts, StatsRange } from '../../domain/stats/stats.js';
import type { Statement } from '../../platform/database/database.js';
import { PLATFORM } from '../../platform/database/tenant-database.js';
import type { SearchDeps } from '../explorer/search.js';
import { isWrittenSql } from './roll-up-stats.js';
import { mark, rolledUpSql, searchStats } from './series.js';
import { eachBucketSql } from './stats-rows.js';

/** The owners of statistics, each with an id `w`, as SQL. */
interface Owners {
  /** A table function: all of them. */
  list: string;
  table: string;
  /** Condition: the row is one of the sums of `w`. */
  isSum: string;
  /** Condition: the row is of one of them all. */
  isOfAny: string;
  /** Condition: the row of `newest` is of `w`. */
  isOfOne: string;
}

/** The rows of one event type or all (''), rolled up to this resolution. */
const series =
  ({ table, isSum }: Owners) =>
  (resolution: string, from: string, until: string) =>
    `
  select bucket, successes, failures, latency_histogram from hookwright.${table}
  where ${isSum} and event_type = $3::text
    and resolution = '${resolution}'
    and bucket >= ${from} and bucket < least($6::timestamptz, ${until})`;

const histogramSql = eachBucketSql((count) => `sum(${count})`);

/**
 * Days and hours as far as they are rolled up, then minutes as far as they have their sums, then rows of outcomes
 * since: a minute or two, which are read by an index by time, once for all owners. Each minute is looked up, because a
 * plan for a range of them may read all of a tenant.
 */
const statementOf = (name: string, owners: Owners): Statement => ({
  name,
  text: `
    with progress as materialized (select * from hookwright.stats_progress),
    newest as materialized (
      select s.* from (
        select generate_series(date_trunc('minute', greatest($5, ${mark('minutes_until')})),
                               least($6, now() + interval '1 minute'), interval '1 minute') as minute) m
      cross join lateral (
        select tenant_id, webhook_id, bucket, successes, failures, latency_histogram from hookwright.${owners.table}
        where ${owners.isOfAny} and resolution = 'MINUTE' and ${isWrittenSql}
          and bucket = m.minute and bucket >= $5 and bucket < $6 and ($3 = '' or event_type = $3) offset 0) s)
    select w.id as "ofId", (extract(epoch from start) * 1000)::bigint as "startMs", successes, failures,
           array_to_string(histogram, ',') as histogram
    from ${owners.list} cross join lateral (
      select case when $7::boolean then date_trunc($4, bucket, 'UTC') else $5 end as start,
             sum(successes) as successes, sum(failures) as failures, array[${histogramSql}] as histogram
      from (
        ${rolledUpSql(series(owners), { resolution: '$4::text', since: '$5::timestamptz' }, mark('minutes_until'))}
        union all
        select bucket, successes, failures, latency_histogram from newest
        where ${owners.isOfOne}) as parts
      group by 1) as buckets`,
});

const BY_ID = 'unnest($2::bigint[]) as w(id)';

const ofWebhooks = statementOf('read_stats', {
  list: BY_ID,
  table: 'delivery_stats',
  isSum: 'tenant_id = $1::bigint and webhook_id = w.id',
  isOfAny: 'tenant_id = $1',
  isOfOne: 'w.id = 0 or webhook_id = w.id',
});

/** Read by the installation itself ($1 is 0). */
const ofTenants = statementOf('read_stats_of_tenants', {
  list: BY_ID,
  table: 'all_stats',
  isSum: '$1::bigint = 0 and tenant_id = w.id and webhook_id = 0',
  isOfAny: 'tenant_id = any($2::bigint[])',
  isOfOne: 'tenant_id = w.id',
});

/** The same for webhooks of any tenants: $8. */
const ofWebhooksOfAll = statementOf('read_stats_of_all', {
  list: 'unnest($2::bigint[], $8::bigint[]) as w(id, tenant_id)',
  table: 'all_stats',
  isSum: '$1::bigint = 0 and all_stats.tenant_id = w.tenant_id and webhook_id = w.id',
  isOfAny: 'tenant_id = any($8::bigint[])',
  isOfOne: 'webhook_id = w.id',
});

type Row = Omit<StatsCounts, 'histogram'> & { ofId: number; histogram: string };

/** In place of a webhook: all webhooks of the tenant together. */
export const ALL_WEBHOOKS = 0;

export interface StatsQuestion {
  /** Null: all types. */
  eventType: string | null;
  range: StatsRange;
  /** False: the whole range is one bucket, which is read as one row. */
  inBuckets: boolean;
}

/**
 * The counts of each bucket of a range, the newest attempts included. Empty buckets, and webhooks without counts, are
 * left out.
 *
 * @param webhookIds each one once, or `ALL_WEBHOOKS`
 * @throws ApiError search_timed_out, rate_limited: it takes a search slot of the tenant
 */
export const readStats = (
  deps: SearchDeps,
  tenantId: number,
  webhookIds: readonly number[],
  question: StatsQuestion,
): Promise<Map<number, StatsCounts[]>> => read(deps, ofWebhooks, tenantId, webhookIds, question);

/** @param tenantIds each one once, or `PLATFORM`: all together, without the last minute or two */
export const readStatsOfTenants = (
  deps: SearchDeps,
  tenantIds: readonly number[],
  question: StatsQuestion,
): Promise<Map<number, StatsCounts[]>> => read(deps, ofTenants, PLATFORM, tenantIds, question);

/** The same of webhooks of any tenants. */
export const readStatsOfAll = (
  deps: SearchDeps,
  webhooks: readonly { tenantId: number; webhookId: number }[],
  question: StatsQuestion,
): Promise<Map<number, StatsCounts[]>> => {
  const tenants = new Map(webhooks.map(({ webhookId, tenantId }) => [webhookId, tenantId]));
  return read(deps, ofWebhooksOfAll, PLATFORM, [...tenants.keys()], question, [[...tenants.values()]]);
};

async function read(
  deps: SearchDeps,
  statement: Statement,
  tenantId: number,
  ids: readonly number[],
  { eventType, inBuckets, range: { resolution, since, until } }: StatsQuestion,
  more: readonly unknown[] = [],
): Promise<Map<number, StatsCounts[]>> {
  const values = [tenantId, ids, eventType ?? '', resolution, since, until, inBuckets, ...more];
  const rows = await searchStats<Row>(deps, statement, tenantId, values);
  const counted = rows.map(({ histogram, ...row }) => ({ ...row, histogram: histogram.split(',').map(Number) }));
  return Map.groupBy(counted, ({ ofId }) => ofId);
}
