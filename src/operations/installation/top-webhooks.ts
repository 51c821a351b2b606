import type { Statement } from '../../platform/database/database.js';
import { PLATFORM } from '../../platform/database/tenant-database.js';
import { WEBHOOK_COUNT_MAX } from '../explorer/read-backlog.js';
import { type SearchDeps, search } from '../explorer/search.js';
import { eachBucketSql } from '../stats/stats-rows.js';

/** The figure by which webhooks are ranked; the largest first. */
export type Ranking = 'FAILURES' | 'ATTEMPTS' | 'LATENCY' | 'BACKLOG';

/** A webhook of any tenant, with its figures. */
interface RankedWebhook {
  webhookId: number;
  tenantId: number;
  url: string;
  active: boolean;
  /** At most `WEBHOOK_COUNT_MAX`. */
  due: number;
  successes: number;
  failures: number;
  histogram: number[];
}

/** This many of the deliveries that have waited longest are counted: each is a row of another page. */
export const DUE_LOOKED = 3_000;

/** Histograms of the webhooks with the most attempts are compared: they are in no index. */
export const LATENCIES_RANKED = 1_000;

const histogramSql = eachBucketSql((count) => `coalesce(sum(${count}), 0)`);

/** Sums of webhooks over event types since $1: hours as far as they are rolled up, then minutes. */
const sumsSql = (ofWebhook = '') => `
  select tenant_id, webhook_id, successes, failures, latency_histogram from hookwright.all_stats
  where resolution = 'HOUR' and event_type = '' and webhook_id <> 0 ${ofWebhook}
    and bucket >= date_trunc('hour', $1::timestamptz, 'UTC') and bucket < (select hours_until from hookwright.stats_progress)
  union all
  select tenant_id, webhook_id, successes, failures, latency_histogram from hookwright.all_stats
  where resolution = 'MINUTE' and event_type = '' and webhook_id <> 0 ${ofWebhook}
    and bucket >= greatest($1, (select hours_until from hookwright.stats_progress))`;

/** The first bucket of the histogram with which 95 % are reached, and then the mean bucket. */
const latencySql = `
  (select min(bucket) from (
     select bucket, sum(n) over (order by bucket) as reached from unnest(histogram) with ordinality as h(n, bucket)) reached
   where reached >= 0.95 * attempts) desc nulls last,
  (select sum(n * bucket) from unnest(histogram) with ordinality as h(n, bucket)) / nullif(attempts, 0) desc nulls last`;

const byStats = (order: string) => `
  select tenant_id, webhook_id, attempts, row_number() over (order by ${order}, webhook_id) as rank
  from (
    select tenant_id, webhook_id, sum(failures) as failures, sum(successes + failures) as attempts
    from (${sumsSql()}) sums group by 1, 2) counted`;

const rankings: Record<Ranking, string> = {
  FAILURES: `${byStats('failures desc')} where failures > 0`,
  ATTEMPTS: byStats('attempts desc'),
  LATENCY: `
    select tenant_id, webhook_id, row_number() over (order by ${latencySql}, webhook_id) as rank
    from (select * from (${byStats('attempts desc')}) busy order by rank limit ${LATENCIES_RANKED}) busy
    cross join lateral (
      select array[${histogramSql}] as histogram
      from (${sumsSql('and tenant_id = busy.tenant_id and webhook_id = busy.webhook_id')}) sums) h`,
  BACKLOG: `
    select tenant_id, webhook_id, row_number() over (order by count(*) desc, webhook_id) as rank
    from (select tenant_id, webhook_id from hookwright.all_deliveries
          where status = 'PENDING' and due_at <= now() and $1::timestamptz is not null
          order by due_at limit ${DUE_LOOKED}) due
    group by 1, 2`,
};

/** So many due deliveries are read in one walk for all webhooks; else those of each. */
const FEW_DUE = 2_500;
const isDue = `d.status = 'PENDING' and d.due_at <= now()`;

/** $2: how many. Deleted webhooks are left out. Webhooks are looked up in their order until there are enough. */
const statementOf = (ranking: Ranking): Statement => ({
  name: `top_webhooks_by_${ranking.toLowerCase()}`,
  text: `
    with counted as materialized (${rankings[ranking]}),
    ranked as materialized (
      select w.id, w.tenant_id, w.url, w.active, r.rank
      from (select * from counted order by rank) r cross join lateral (
        select * from hookwright.all_webhooks w where w.id = r.webhook_id offset 0) w
      order by r.rank limit $2),
    few as materialized (
      select d.webhook_id from hookwright.all_deliveries d
      where d.webhook_id = any(array(select id from ranked order by id)) and ${isDue} limit ${FEW_DUE})
    select r.id as "webhookId", r.tenant_id as "tenantId", r.url, r.active, s.successes, s.failures,
           array_to_string(s.histogram, ',') as histogram,
           case when (select count(*) < ${FEW_DUE} from few) then least(coalesce(few.due, 0), ${WEBHOOK_COUNT_MAX})
                else (select count(*)::integer from (
                  select from hookwright.all_deliveries d where d.webhook_id = r.id and ${isDue}
                  order by d.due_at limit ${WEBHOOK_COUNT_MAX}) d) end as due
    from ranked r left join (
      select webhook_id, count(*)::integer as due from few group by 1) few on few.webhook_id = r.id
    cross join lateral (
      select coalesce(sum(successes), 0) as successes, coalesce(sum(failures), 0) as failures,
             array[${histogramSql}] as histogram
      from (${sumsSql('and tenant_id = r.tenant_id and webhook_id = r.id')}) sums) s
    order by r.rank`,
});
const statements = {
  FAILURES: statementOf('FAILURES'),
  ATTEMPTS: statementOf('ATTEMPTS'),
  LATENCY: statementOf('LATENCY'),
  BACKLOG: statementOf('BACKLOG'),
} as const;

/**
 * The webhooks of all tenants that stand out since a moment, without what came in the last minute or two.
 *
 * @throws ApiError search_timed_out
 */
export async function readTopWebhooks(
  deps: SearchDeps,
  { by, since, first }: { by: Ranking; since: Date; first: number },
): Promise<RankedWebhook[]> {
  const rows = await search<Omit<RankedWebhook, 'histogram'> & { histogram: string }>(
    deps,
    PLATFORM,
    statements[by],
    [since, first],
    { what: 'ranking of webhooks', advice: 'Ask for a shorter time, with since.' },
  );
  return rows.map(({ histogram, ...row }) => ({ ...row, histogram: histogram.split(',').map(Number) }));
}
