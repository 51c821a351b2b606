import type pg from 'pg';
import { query, type Statement } from '../../platform/database/database.js';
import { OVERDUE_SECONDS } from '../deliveries/rescue-deliveries.js';
import { HORIZON_SECONDS } from '../deliveries/schedule-deliveries.js';

/** Which sweeps may find something. One that is false would find nothing. */
export interface WorthSweeping {
  schedule: boolean;
  held: boolean;
  overdue: boolean;
  bulk: boolean;
  events: boolean;
  recovery: boolean;
  ordering: boolean;
}

/** Reads the ends of small indexes. It knows nothing of jobs, so unlike the sweeps it can be prepared. */
const statement: Statement = {
  name: 'worth_sweeping',
  text: `
    select
      coalesce(first_due <= now() + ${HORIZON_SECONDS} * interval '1 second', false) as schedule,
      exists (select from hookwright.deliveries where status = 'HELD') as held,
      coalesce(first_due < now() - ${OVERDUE_SECONDS} * interval '1 second', false) as overdue,
      exists (select from hookwright.bulk_operations where finished_at is null) as bulk,
      exists (select from hookwright.raised_events where pending > 0)
        or exists (select from hookwright.webhooks
                   where hold_until > now() and hold_until <= now() + interval '24 hours'
                     and hold_warned_until is distinct from hold_until) as events,
      $1 = 'AUTOMATIC' or exists (select from hookwright.webhook_options where recovery = 'AUTOMATIC')
        or exists (select from hookwright.tenants where recovery = 'AUTOMATIC')
        or exists (select from hookwright.webhook_recoveries where next_probe_at is not null) as recovery,
      exists (select from hookwright.ordering_keys) as ordering
    from (select min(due_at) as first_due from hookwright.deliveries where status = 'PENDING') pending`,
};

/**
 * Looks for all sweeps at once: while nothing happens, this is all that they cost.
 *
 * @param recovery ENDPOINT_RECOVERY
 */
export async function worthSweeping(pool: pg.Pool, recovery: string): Promise<WorthSweeping> {
  const [row] = await query<WorthSweeping & pg.QueryResultRow>(pool, statement, [recovery]);
  return row!;
}
