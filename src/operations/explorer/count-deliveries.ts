import { ApiError } from '../../errors.js';
import { isOpen } from '../deliveries/delivery-state.js';
import { type Bounds, PageConditions } from './page.js';
import { addConditions, type DeliveryConditions, deliveriesIn, webhooksWithOpen } from './page-deliveries.js';
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
  const isOfOpen = filter.status !== 'WAITING' && isOpen(filter.retrying ? 'PENDING' : filter.status);
  const counted =
    isOfOpen && filter.webhookId === undefined && filter.eventId === undefined
      ? `select from ${webhooksWithOpen} as wanted(webhook_id) cross join lateral (
           select from hookwright.deliveries d where d.webhook_id = wanted.webhook_id and ${ofTenant} limit $4) d limit $4`
      : `select from ${deliveriesIn(filter.status)} where ${ofTenant} limit $4`;
  const statement = { text: `select count(*)::integer as count from (${counted}) counted` };
  for (let left = TRIES; left > 0; left -= 1) {
    try {
      const options = { timeoutMs: COUNT_MS_MAX };
      const [row] = await search<{ count: number }>(deps, tenantId, statement, conditions.values, options);
      return row?.count ?? 0;
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason !== 'search_timed_out') {
        throw error;
      }
    }
  }
  return null;
}
