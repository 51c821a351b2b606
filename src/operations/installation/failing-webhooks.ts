import { FAILING_FROM_FAILURES, HELD_SHOWN_MAX } from '../../domain/deliveries/health-limits.js';
import type { Statement } from '../../platform/database/database.js';
import { PLATFORM } from '../../platform/database/tenant-database.js';
import { type SearchDeps, search } from '../explorer/search.js';

/** How a webhook fails, the worst first. */
export type FailingState = 'GONE' | 'DISABLED' | 'FAILING';

/** This many of the failing webhooks are ranked: those that were disabled, and then those that began to fail last. */
export const FAILING_RANKED = 500;
/** The reason is looked for in this many of a webhook's newest deliveries, and of its oldest held ones. */
const REASON_LOOKED = 100;

export interface FailingCounts {
  gone: number;
  disabled: number;
  failing: number;
}

interface FailingWebhook {
  webhookId: number;
  tenantId: number;
  url: string;
  state: FailingState;
  since: Date | null;
  consecutiveFailures: number;
  lastErrorCode: string | null;
  /** At most `HELD_SHOWN_MAX`. */
  held: number;
}

interface FailingTenant extends FailingCounts {
  tenantId: number;
  since: Date | null;
  /** At most `HELD_SHOWN_MAX`. */
  held: number;
}

/** A pause that somebody made is not a failure, and neither is one that the endpoint asked for. */
const failing = `
  failing as materialized (
    select w.id, w.tenant_id, w.url, w.consecutive_failures,
           case when w.active then 'FAILING' when w.disabled_reason = 'GONE' then 'GONE' else 'DISABLED' end as state,
           case when w.active then coalesce(w.streak_began_at, w.failing_since, w.last_failure_at)
                else w.disabled_at end as since
    from hookwright.all_webhooks w join hookwright.tenants t on t.id = w.tenant_id and t.deleted_at is null
    where case when w.active
            then w.consecutive_failures >= ${FAILING_FROM_FAILURES} and not coalesce(w.closed_until > now(), false)
            else w.disabled_reason <> 'PAUSED' end)`;

const countOf = (state: FailingState) => `(count(*) filter (where state = '${state}'))::integer`;
const counts = `${countOf('GONE')} as gone, ${countOf('DISABLED')} as disabled, ${countOf('FAILING')} as failing`;

const countStatement: Statement = {
  name: 'count_failing_webhooks',
  text: `with ${failing} select ${counts} from failing`,
};

const heldOf = (webhook: string) => `
  select from hookwright.all_deliveries d where d.webhook_id = ${webhook} and d.status = 'HELD' limit ${HELD_SHOWN_MAX}`;

const attemptedOf = (webhook: string, which: string) => `
  (select d.id, d.last_error_code from hookwright.all_deliveries d where d.webhook_id = ${webhook} ${which})`;

/**
 * The newest failure. The newest deliveries of an inactive webhook have no attempt: its failures are its oldest held
 * deliveries, or the one that ended with a 410.
 */
const reasonOf = (webhook: string) => `
  select last_error_code from (
    ${attemptedOf(webhook, `order by d.id desc limit ${REASON_LOOKED}`)}
    union all ${attemptedOf(webhook, `and d.status = 'HELD' order by d.id limit ${REASON_LOOKED}`)}
    union all ${attemptedOf(webhook, `and d.status = 'FAILED' order by d.id desc limit 1`)}) looked
  where last_error_code is not null order by id desc limit 1`;

const webhooksStatement: Statement = {
  name: 'list_failing_webhooks',
  text: `
    with ${failing},
    ranked as materialized (
      select f.*, (select count(*)::integer from (${heldOf('f.id')}) h) as held
      from (select * from failing order by state = 'FAILING', since desc nulls last, id limit ${FAILING_RANKED}) f
      order by f.state = 'FAILING', held desc, f.since, f.id limit $1)
    select r.id as "webhookId", r.tenant_id as "tenantId", r.url, r.state, r.since,
           r.consecutive_failures as "consecutiveFailures", r.held, (${reasonOf('r.id')}) as "lastErrorCode"
    from ranked r order by r.state = 'FAILING', r.held desc, r.since, r.id`,
};

const tenantsStatement: Statement = {
  name: 'list_failing_tenants',
  text: `
    with ${failing},
    worst as materialized (
      select tenant_id, ${counts}, min(since) as since from failing group by tenant_id
      order by count(*) filter (where state <> 'FAILING') desc, count(*) desc, min(since), tenant_id limit $1)
    select tenant_id as "tenantId", gone, disabled, failing, since,
           (select count(*)::integer from (
              select from failing f cross join lateral (${heldOf('f.id')}) one
              where f.tenant_id = worst.tenant_id limit ${HELD_SHOWN_MAX}) h) as held
    from worst order by gone + disabled desc, gone + disabled + failing desc, since, tenant_id`,
};

const what = { what: 'list of failing webhooks', advice: 'Ask for fewer.' };

export async function countFailing(deps: SearchDeps): Promise<FailingCounts> {
  const [row] = await search<FailingCounts & object>(deps, PLATFORM, countStatement, [], what);
  return row!;
}

/** Webhooks of all tenants that fail now, the worst first. @throws ApiError search_timed_out */
export const listFailingWebhooks = (deps: SearchDeps, first: number): Promise<FailingWebhook[]> =>
  search(deps, PLATFORM, webhooksStatement, [first], what);

/** Tenants whose webhooks fail now, the worst first. @throws ApiError search_timed_out */
export const listFailingTenants = (deps: SearchDeps, first: number): Promise<FailingTenant[]> =>
  search(deps, PLATFORM, tenantsStatement, [first], what);
