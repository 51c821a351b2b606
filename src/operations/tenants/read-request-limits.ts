import type pg from 'pg';
import type { RequestLimits } from '../../domain/limits/tenant-limits.js';
import { query, type Statement } from '../../platform/database/database.js';

/** Emits of applications count for so long (`lease_events`). A statement that runs anyway forgets them. */
const COUNTED_SECONDS = 10;
const FORGOTTEN_MAX = 10_000;

const statement: Statement = {
  name: 'read_request_limits',
  text: `
    with forgotten as (
      delete from hookwright.outbox_emits where ctid = any(array(
        select ctid from hookwright.outbox_emits where emitted_at < now() - interval '${COUNTED_SECONDS} s'
        order by emitted_at limit ${FORGOTTEN_MAX} for update skip locked)))
    select id, requests_per_second as "requestsPerSecond", requests_at_once as "requestsAtOnce"
    from hookwright.tenants
    where (requests_per_second is not null or requests_at_once is not null) and deleted_at is null`,
};

/** The limits of all tenants whose requests are limited. */
export async function readRequestLimits(pool: pg.Pool): Promise<Map<number, RequestLimits>> {
  const rows = await query<RequestLimits & { id: number }>(pool, statement, []);
  return new Map(rows.map(({ id, ...limits }) => [id, limits]));
}
