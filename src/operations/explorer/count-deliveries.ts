import { ApiError } from '../../errors.js';
import { type Bounds, PageConditions } from './page.js';
import {
  ARE_FEW,
  addConditions,
  type DeliveryConditions,
  deliveriesIn,
  fewOpenSql,
  openOfTenant,
  WEBHOOKS_OF_MANY,
} from './page-deliveries.js';
import { type SearchDeps, search } from './search.js';

/** Counts end here: it means this many or more. */
export const DELIVERIES_COUNTED_MAX = 1_000;
/** A figure above a list is not worth more of the database's time. */
const COUNT_MS_MAX = 50;
/** The first count after a pause reads cold pages and may take too long; the second finds them in memory. */
const TRIES = 2;

/**
 * How many of a tenant's deliveries meet the conditions, as the pages of a list do; at most `DELIVERIES_COUNTED_MAX`.
 *
 * @param range ids strictly between
 * @returns null when it takes longer than 50 ms, twice
 * @throws ApiError rate_limited
 */
export async function countDeliveries(
  deps: SearchDeps,
  tenantId: number,
  filter: DeliveryConditions,
  range: Pick<Bounds, 'above' | 'below'>,
): Promise<number | null> {
  const conditions = new PageConditions(tenantId, { ...range, order: 'desc', limit: DELIVERIES_COUNTED_MAX });
  addConditions(conditions, filter, range);
  const ofTenant = `d.tenant_id = $1 and d.id > $2 and d.id < $3 ${conditions.sql}`;
  const status = openOfTenant(filter);
  const countOf = (rows: string) => `(select count(*)::integer from (${rows} limit $4) counted)`;
  const text =
    status === null
      ? `select ${countOf(`select from ${deliveriesIn(filter.status)} where ${ofTenant}`)} as count`
      : `with ${fewOpenSql(status)},
           found as materialized (select ${countOf(`select from few d where true ${conditions.sql}`)} as count)
         select case when ${ARE_FEW} or found.count >= $4 then found.count else ${countOf(`
           select from ${WEBHOOKS_OF_MANY} as wanted(webhook_id) cross join lateral (
             select from hookwright.deliveries d where d.webhook_id = wanted.webhook_id and ${ofTenant} limit $4) d`)}
           end as count from found`;
  for (let left = TRIES; left > 0; left -= 1) {
    try {
      const options = { timeoutMs: COUNT_MS_MAX };
      const [row] = await search<{ count: number }>(deps, tenantId, { text }, conditions.values, options);
      return row?.count ?? 0;
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason !== 'search_timed_out') {
        throw error;
      }
    }
  }
  return null;
}
