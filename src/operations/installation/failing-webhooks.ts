import { FAILING_COUNTED_MAX, FAILING_FROM_FAILURES, HELD_SHOWN_MAX } from '../../domain/deliveries/health-limits.js';
import { INSTALLATION_TENANT } from '../../domain/installation/installation-tenant.js';
import type { Statement } from '../../platform/database/database.js';
import { limitInOrder } from '../../platform/database/limit-in-order.js';
import { PLATFORM } from '../../platform/database/tenant-database.js';
import { idsUntilSql } from '../deliveries/counts-as-held.js';
import { FEW_HELD } from '../explorer/read-backlog.js';
import { type SearchDeps, search } from '../explorer/search.js';

/** How a webhook fails, the worst first. */
export type FailingState = 'GONE' | 'DISABLED' | 'FAILING';

/** This many are ranked: those that were disabled last, and then those that began to fail last. */
export const FAILING_RANKED = 100;
/** The reason is looked for in this many of a webhook's newest deliveries, and of its oldest held ones. */
const REASON_LOOKED = 30;

/** Each at most `FAILING_COUNTED_MAX`. */
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

/** The counts are of the `FAILING_COUNTED_MAX` webhooks of each state that came into it last. */
interface FailingTenant extends FailingCounts {
  tenantId: number;
  since: Date | null;
  /** At most `HELD_SHOWN_MAX`; null: not asked for. */
  held: number | null;
}

const disabled = { since: 'w.disabled_at', order: 'w.disabled_at desc nulls last, w.id' };

/**
 * SQL: which webhooks `w` have a state, and their order, which is that of an index. A pause that somebody made is not a
 * failure, and neither is one that the endpoint asked for.
 */
const states: Readonly<Record<FailingState, { isSo: string; since: string; order: string }>> = {
  GONE: { isSo: `not w.active and w.disabled_reason = 'GONE'`, ...disabled },
  DISABLED: { isSo: `not w.active and w.disabled_reason = 'FAILURES'`, ...disabled },
  FAILING: {
    isSo: `w.active and w.consecutive_failures >= ${FAILING_FROM_FAILURES}
           and not coalesce(w.closed_until > now(), false)`,
    since: 'coalesce(w.streak_began_at, w.failing_since, w.last_failure_at)',
    order: 'w.streak_began_at desc nulls last, w.id',
  },
};
const STATES = Object.keys(states) as FailingState[];

/** SQL: webhooks of tenants from an id on that came into a state last. A deleted tenant has none. */
const lastIn = (state: FailingState, columns: string, countMax: number, least: string) => `
  (select ${columns} from hookwright.all_webhooks w where ${states[state].isSo} and w.tenant_id >= ${least}
   order by ${states[state].order} ${limitInOrder(countMax)})`;

const lastInEach = (columns: string, countMax: number, least: string) =>
  STATES.map((state) => {
    const known = `w.id, w.tenant_id, '${state}' as state, ${states[state].since} as since`;
    return lastIn(state, `${known}${columns}`, countMax, least);
  }).join(' union all ');

const countStatement: Statement = {
  name: 'count_failing_webhooks',
  text: `select ${STATES.map(
    (state) => `
    (select count(*)::integer from ${lastIn(state, '', FAILING_COUNTED_MAX, '$1::bigint')} c) as ${state.toLowerCase()}`,
  )}`,
};

const heldOf = (webhook: string) => `
  select from hookwright.all_deliveries d where d.webhook_id = ${webhook} and d.status = 'HELD' limit ${HELD_SHOWN_MAX}`;

/** Deliveries after the last failure have no attempt. */
const attemptedOf = (webhook: string, which: string) => `
  (select d.id, d.last_error_code from hookwright.all_deliveries d
   where d.webhook_id = ${webhook}.id and d.id <= ${webhook}.failed_up_to ${which})`;
const newestIn = (looked: string) => `
  (select last_error_code from (${looked}) looked where last_error_code is not null order by id desc limit 1)`;

/**
 * The newest failure. If many of the newest deliveries have no attempt, the failures of an inactive webhook are its
 * oldest held deliveries, or the one that ended with a 410.
 */
const reasonOf = (webhook: string) => `coalesce(
  ${newestIn(attemptedOf(webhook, `order by d.id desc limit ${REASON_LOOKED}`))},
  ${newestIn(`
    ${attemptedOf(webhook, `and d.status = 'HELD' order by d.id limit ${REASON_LOOKED}`)}
    union all ${attemptedOf(webhook, `and d.status = 'FAILED' order by d.id desc limit 1`)}`)})`;

/** Held deliveries are read in one walk through their index if they are few, else for each webhook in each day. */
const webhooksStatement: Statement = {
  name: 'list_failing_webhooks',
  text: `
    with newest as materialized (
      select * from (${lastInEach(', w.url, w.consecutive_failures, w.last_failure_at', FAILING_RANKED, '$2::bigint')}) each
      order by state = 'FAILING', since desc nulls last, id limit ${FAILING_RANKED}),
    few as materialized (
      select webhook_id from hookwright.all_deliveries d
      where d.webhook_id = any(array(select id from newest)) and d.status = 'HELD' limit ${FEW_HELD}),
    ranked as materialized (
      select f.*, ${idsUntilSql('hookwright.id_at(coalesce(f.last_failure_at, now()))')} as failed_up_to,
             case when (select count(*) < ${FEW_HELD} from few) then least(coalesce(few.held, 0), ${HELD_SHOWN_MAX})
                  else (select count(*)::integer from (${heldOf('f.id')}) h) end as held
      from newest f left join (
        select webhook_id, count(*)::integer as held from few group by 1) few on few.webhook_id = f.id
      order by f.state = 'FAILING', held desc, f.since, f.id limit $1)
    select r.id as "webhookId", r.tenant_id as "tenantId", r.url, r.state, r.since,
           r.consecutive_failures as "consecutiveFailures", r.held, ${reasonOf('r')} as "lastErrorCode"
    from ranked r order by r.state = 'FAILING', r.held desc, r.since, r.id`,
};

const countOf = (state: FailingState) => `(count(*) filter (where state = '${state}'))::integer`;

/** $2: whether their held deliveries are counted. */
const tenantsStatement: Statement = {
  name: 'list_failing_tenants',
  text: `
    with worst as materialized (
      select tenant_id, ${STATES.map((state) => `${countOf(state)} as ${state.toLowerCase()}`)}, min(since) as since,
             array_agg(id) as ids
      from (${lastInEach('', FAILING_COUNTED_MAX, `${INSTALLATION_TENANT + 1}`)}) last group by tenant_id
      order by count(*) filter (where state <> 'FAILING') desc, count(*) desc, min(since), tenant_id limit $1)
    select tenant_id as "tenantId", gone, disabled, failing, since,
           case when $2::boolean then (select count(*)::integer from (${heldOf('any(worst.ids)')}) h) end as held
    from worst order by gone + disabled desc, gone + disabled + failing desc, since, tenant_id`,
};

const what = { what: 'list of failing webhooks', advice: 'Ask for fewer.' };

/** @param leastTenant whose webhooks count, and those of tenants with a greater id */
export async function countFailing(deps: SearchDeps, leastTenant: number): Promise<FailingCounts> {
  const [row] = await search<FailingCounts & object>(deps, PLATFORM, countStatement, [leastTenant], what);
  return row!;
}

/** Webhooks of tenants from an id on that fail now, the worst first. @throws ApiError search_timed_out */
export const listFailingWebhooks = (deps: SearchDeps, first: number, leastTenant: number): Promise<FailingWebhook[]> =>
  search(deps, PLATFORM, webhooksStatement, [first, leastTenant], what);

/** Tenants whose webhooks fail now, the worst first. @throws ApiError search_timed_out */
export const listFailingTenants = (deps: SearchDeps, first: number, withHeld: boolean): Promise<FailingTenant[]> =>
  search(deps, PLATFORM, tenantsStatement, [first, withHeld], what);
