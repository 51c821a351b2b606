import type { StatsRange } from '../../domain/stats/stats.js';
import type { Statement } from '../../platform/database/database.js';
import { type SearchDeps, search } from '../explorer/search.js';

/** SQL: how far statistics are rolled up, in a statement with `progress`. */
export const mark = (name: string): string => `(select ${name} from progress)`;

/**
 * SQL: days and hours of a range as far as they are rolled up, then minutes. The statement has `progress`, the row of
 * `stats_progress`.
 *
 * @param series SQL: the rows of a resolution between two times
 * @param range the parameters of the statement, as SQL
 * @param minutesUntil SQL: where its minutes end
 */
export const rolledUpSql = (
  series: (resolution: 'MINUTE' | 'HOUR' | 'DAY', from: string, until: string) => string,
  { resolution, since }: { resolution: string; since: string },
  minutesUntil: string,
): string => `
  ${series('DAY', since, mark('days_until'))} and ${resolution} = 'DAY'
  union all
  ${series('HOUR', `case when ${resolution} = 'DAY' then greatest(${since}, ${mark('days_until')}) else ${since} end`, mark('hours_until'))}
    and ${resolution} <> 'MINUTE'
  union all
  ${series('MINUTE', `case when ${resolution} = 'MINUTE' then ${since} else greatest(${since}, ${mark('hours_until')}) end`, minutesUntil)}`;

/** @throws ApiError search_timed_out, rate_limited: it takes a search slot of the tenant */
export const searchStats = <Row extends object>(
  deps: SearchDeps,
  statement: Statement,
  tenantId: number,
  values: readonly unknown[],
): Promise<Row[]> =>
  search<Row>(deps, tenantId, statement, values, {
    what: 'statistics',
    advice: 'Ask for a shorter time, longer buckets or fewer webhooks.',
  });

/**
 * The buckets of a range, by webhook.
 *
 * @param statement takes tenant, webhooks, resolution, begin and end; its rows name their webhook, `ofId`
 * @param tenantId PLATFORM: the installation
 * @param webhookIds each one once, or `ALL_WEBHOOKS`
 * @throws ApiError search_timed_out, rate_limited: it takes a search slot of the tenant
 */
export async function readBuckets<Row extends object>(
  deps: SearchDeps,
  statement: Statement,
  tenantId: number,
  webhookIds: readonly number[],
  { resolution, since, until }: StatsRange,
): Promise<Map<number, Row[]>> {
  const values = [tenantId, webhookIds, resolution, since, until];
  const rows = await searchStats<Row & { ofId: number }>(deps, statement, tenantId, values);
  return Map.groupBy(rows, ({ ofId }) => ofId);
}
