import type { DisabledReason } from '../../entities/webhook.js';
import type { Statement } from '../../platform/database/database.js';
import { PLATFORM } from '../../platform/database/tenant-database.js';
import { WEBHOOK_COUNT_MAX } from '../explorer/read-backlog.js';
import { type SearchDeps, search } from '../explorer/search.js';
import { eachBucketSql } from '../stats/stats-rows.js';

/** The figure by which webhooks are ranked; the largest first. */
export type Ranking = 'FAILURES' | 'ATTEMPTS' | 'LATENCY' | 'BACKLOG' | 'WAIT';

/** A webhook of any tenant, with its figures. */
interface RankedWebhook {
  webhookId: number;
  tenantId: number;
  url: string;
  active: boolean;
  disabledReason: DisabledReason | null;
  closedUntil: Date | null;
  consecutiveFailures: number;
  /** At most `WEBHOOK_COUNT_MAX`. */
  due: number;
  oldestDueAt: Date | null;
  successes: number;
  failures: number;
  histogram: number[];
}

/** This many of the deliveries that have waited longest are counted: each is a row of another page. */
export const DUE_LOOKED = 3_000;

/** So many webhooks of each day, hour and minute are read: fewer suffice where few stand out, and not where many do. */
const DEPTH = 1_000;

/** Histograms of the webhooks with the most attempts are compared: they are in no index. */
export const LATENCIES_RANKED = 75;

/** A figure by which an index has the webhooks of each day, hour and minute in order: `stats_by_…`. */
interface Figure {
  sql: string;
  /** Condition of the index. */
  isListed: string;
}

export const ATTEMPTS: Figure = { sql: 'successes + failures', isListed: `event_type = '' and webhook_id <> 0` };
/** Most are small numbers. */
export const FAILURES: Figure = { sql: 'failures', isListed: `${ATTEMPTS.isListed} and failures > 0` };

/** At most this many webhooks are looked up, and this many more than asked for are summed. */
export const NEAREST = 500;
const MORE = 25;

/** Times since $1: hours and days as far as they are rolled up, then minutes. */
const spansSql = `
  spans as materialized (
    select spans.* from hookwright.stats_progress p cross join lateral (
      select date_trunc('hour', $1::timestamptz, 'UTC') as hour, date_trunc('day', $1 + interval '23 hours', 'UTC') as day,
             date_trunc('minute', greatest($1, hours_until) + interval '59.999999 seconds', 'UTC') as minute) first
    cross join lateral (values
      ('HOUR', hour, least(day, hours_until), interval '1 hour'), ('DAY', day, days_until, interval '24 hours'),
      ('HOUR', greatest(day, days_until), hours_until, interval '1 hour'),
      ('MINUTE', minute, minutes_until, interval '1 minute')) as spans(resolution, since, until, step)
    where since < until)`;

/** SQL: rows of sums over event types since $1. */
const sumsSql = (condition: string) => `
  select s.* from spans cross join lateral (
    select tenant_id, webhook_id, successes, failures, latency_histogram from hookwright.all_stats
    where resolution = spans.resolution and bucket >= since and bucket < until and ${condition}
    offset 0) s`;

const histogramSql = eachBucketSql((count) => `coalesce(sum(${count}), 0)`);

/** SQL, a lateral table: the sums of the webhook `w`. */
const figuresSql = `
  (select coalesce(sum(successes), 0) as successes, coalesce(sum(failures), 0) as failures,
          array[${histogramSql}] as histogram
   from (${sumsSql(`tenant_id = w.tenant_id and webhook_id = w.id and event_type = ''`)}) sums) s`;

/** SQL: webhooks, looked up in their order until there are enough. Deleted ones are left out. $3: the least tenant. */
const webhooksSql = (counted: string, columns: string, order: string, enough: string) => `
  select w.id, w.tenant_id, w.url, w.active, ${columns}
  from (select * from ${counted} order by ${order}) r cross join lateral (
    select * from hookwright.all_webhooks w where w.id = r.webhook_id and w.tenant_id >= $3 offset 0) w
  order by ${order} limit ${enough}`;

/**
 * SQL, common table expressions: the `nearest` webhooks to the top, by the first ones of each day, hour and minute. One
 * that is not among these has at most as much there as their last one has: so `most` is known of all webhooks.
 *
 * @param depth how many are the first ones
 */
export const nearestSql = ({ sql, isListed }: Figure, depth: number) => `
  ${spansSql},
  lists as materialized (
    select list.*
    from spans cross join lateral generate_series(since, until - step, step) as start cross join lateral (
      select array_agg(webhook_id) as webhooks, array_agg(figure) as figures,
             case when count(*) = ${depth} then min(figure) else 0 end as rest
      from (select webhook_id, ${sql} as figure from hookwright.all_stats
            where resolution = spans.resolution and bucket = start and ${isListed}
            order by ${sql} desc limit ${depth}) first) list),
  nearest as materialized (
    select webhook_id, sum(figure) as least, sum(figure - rest) + (select sum(rest) from lists) as most
    from (select unnest(webhooks) as webhook_id, unnest(figures) as figure, rest from lists) each
    group by 1 order by most desc limit ${NEAREST})`;

/**
 * SQL, common table expressions: the `enough` webhooks with most of a figure, as `chosen`. Those of the nearest are
 * summed that may be chosen. Where others might be as well, everything is added up.
 */
const chosenSql = (figure: Figure, enough: string) => {
  const { sql, isListed } = figure;
  return `
  ${nearestSql(figure, DEPTH)},
  candidates as materialized (${webhooksSql('nearest', 'r.least, r.most', 'most desc', `${enough} + ${MORE} + 1`)}),
  summed as materialized (
    select w.*, s.*, ${sql} as figure
    from (select * from candidates
          where most >= coalesce((select least from candidates order by least desc limit 1 offset ${enough} - 1), 0)
          order by most desc limit ${enough} + ${MORE}) w
    cross join lateral ${figuresSql}),
  others as materialized (
    select greatest((select sum(rest) from lists), coalesce(
      (select most from candidates order by most desc limit 1 offset ${enough} + ${MORE}),
      (select most from nearest order by most desc limit 1 offset ${NEAREST} - 1))) as most),
  checked as materialized (
    select coalesce((select figure from summed order by figure desc limit 1 offset ${enough} - 1), 0)
           >= coalesce((select most from others), 0) as exact),
  counted as (
    select webhook_id, sum(${sql}) as figure
    from (${sumsSql(`${isListed} and not (select exact from checked)`)}) sums group by 1),
  chosen as materialized (
    (select id, tenant_id, url, active, successes, failures, histogram from summed
     where (select exact from checked) order by figure desc, id limit ${enough})
    union all
    select id, tenant_id, url, active, successes, failures, histogram
    from (${webhooksSql('counted', 'r.figure', 'figure desc, webhook_id', enough)}) w cross join lateral ${figuresSql})`;
};

/** The first bucket of the histogram with which 95 % are reached, and then the mean bucket. */
const latencySql = `
  (select min(bucket) from (
     select bucket, sum(n) over (order by bucket) as reached from unnest(histogram) with ordinality as h(n, bucket)) reached
   where reached >= 0.95 * (successes + failures)) desc nulls last,
  (select sum(n * bucket) from unnest(histogram) with ordinality as h(n, bucket)) / nullif(successes + failures, 0)
    desc nulls last`;

function rankedSql(order: string) {
  return `ranked as materialized (
    select *, row_number() over (order by ${order}, id) as rank from chosen order by rank limit $2)`;
}

/** SQL: the webhooks of the deliveries that have waited longest. */
const dueSql = (figure: string) => `
    ${spansSql},
    counted as (
      select webhook_id, ${figure} as figure
      from (select webhook_id, due_at from hookwright.all_deliveries
            where status = 'PENDING' and due_at <= now() order by due_at limit ${DUE_LOOKED}) due
      group by 1),
    chosen as materialized (
      select * from (${webhooksSql('counted', 'r.figure', 'figure desc, webhook_id', '$2')}) w cross join lateral ${figuresSql}),
    ${rankedSql('figure desc')}`;

/** SQL, common table expressions: `ranked` webhooks with their figures. $2: how many. */
const rankings: Record<Ranking, string> = {
  FAILURES: `${chosenSql(FAILURES, '$2')}, ${rankedSql('failures desc')}`,
  ATTEMPTS: `${chosenSql(ATTEMPTS, '$2')}, ${rankedSql('successes + failures desc')}`,
  LATENCY: `${chosenSql(ATTEMPTS, `${LATENCIES_RANKED}`)}, ${rankedSql(latencySql)}`,
  BACKLOG: dueSql('count(*)'),
  WAIT: dueSql('extract(epoch from now() - min(due_at))'),
};

/** So many due deliveries are read in one walk for all webhooks; else those of each. */
const FEW_DUE = 2_500;
const isDue = `d.status = 'PENDING' and d.due_at <= now()`;

const statementOf = (ranking: Ranking): Statement => ({
  name: `top_webhooks_by_${ranking.toLowerCase()}`,
  text: `
    with ${rankings[ranking]},
    few as materialized (
      select d.webhook_id, d.due_at from hookwright.all_deliveries d
      where d.webhook_id = any(array(select id from ranked order by id)) and ${isDue} limit ${FEW_DUE}),
    are_few as materialized (select count(*) < ${FEW_DUE} as so from few)
    select r.id as "webhookId", r.tenant_id as "tenantId", r.url, r.active, r.successes, r.failures,
           array_to_string(r.histogram, ',') as histogram, w.disabled_reason as "disabledReason",
           w.closed_until as "closedUntil", w.consecutive_failures as "consecutiveFailures",
           least(coalesce(few.due, many.due, 0), ${WEBHOOK_COUNT_MAX}) as due, coalesce(few.oldest, many.oldest) as "oldestDueAt"
    from ranked r join hookwright.all_webhooks w on w.id = r.id
    left join (
      select webhook_id, count(*)::integer as due, min(due_at) as oldest from few group by 1) few
      on few.webhook_id = r.id and (select so from are_few)
    left join lateral (
      select count(*)::integer as due, min(due_at) as oldest from (
        select d.due_at from hookwright.all_deliveries d
        where not (select so from are_few) and d.webhook_id = r.id and ${isDue}
        order by d.due_at limit ${WEBHOOK_COUNT_MAX}) d) many on true
    order by r.rank`,
});
const statements = {
  FAILURES: statementOf('FAILURES'),
  ATTEMPTS: statementOf('ATTEMPTS'),
  LATENCY: statementOf('LATENCY'),
  BACKLOG: statementOf('BACKLOG'),
  WAIT: statementOf('WAIT'),
} as const;

/**
 * The webhooks of all tenants that stand out since a moment, without what came in the last minute or two.
 *
 * @param leastTenant whose webhooks are ranked, and those of tenants with a greater id
 * @throws ApiError search_timed_out
 */
export async function readTopWebhooks(
  deps: SearchDeps,
  { by, since, first, leastTenant }: { by: Ranking; since: Date; first: number; leastTenant: number },
): Promise<RankedWebhook[]> {
  const rows = await search<Omit<RankedWebhook, 'histogram'> & { histogram: string }>(
    deps,
    PLATFORM,
    statements[by],
    [since, first, leastTenant],
    { what: 'ranking of webhooks', advice: 'Ask for a shorter time, with since.' },
  );
  return rows.map(({ histogram, ...row }) => ({ ...row, histogram: histogram.split(',').map(Number) }));
}
