import type pg from 'pg';
import { query, type Statement } from '../../platform/database/database.js';

/** Which of a webhook's open deliveries are counted. */
export type Queued = 'due' | 'held';

/** Deliveries of one webhook that are due, or held, as far as they were looked at. */
export interface Found {
  webhookId: number;
  tenantId: number;
  count: number;
  /** Seconds since the oldest one became due; 0 for held ones. */
  oldestSeconds: number;
}

/** So many deliveries of each kind are read, whatever their webhooks. Fewer are all that there are. */
export const WALKED = 200;
/** An index is gone down so often, in all days together, for webhooks that the walk did not see. */
const STEPS = 40;
const NEWEST_DISABLED = 20;
const MOST_REPORTED = 100;
/** A daemon that is silent for longer may have ended. */
const REPORTED_MINUTES = 15;

const isQueued = { due: `status = 'PENDING' and due_at <= now()`, held: `status = 'HELD'` } as const;

const secondsSince = (time: string) => `greatest(extract(epoch from now() - ${time}), 0)::float8`;

const walks: Record<Queued, Statement> = {
  due: {
    name: 'walk_due',
    text: `
      select webhook_id as "webhookId", tenant_id as "tenantId", count(*)::integer as count,
             ${secondsSince('min(due_at)')} as "oldestSeconds"
      from (select webhook_id, tenant_id, due_at from hookwright.deliveries
            where ${isQueued.due} order by due_at limit ${WALKED}) d
      group by 1, 2 order by 3 desc`,
  },
  held: {
    name: 'walk_held',
    text: `
      select webhook_id as "webhookId", tenant_id as "tenantId", count(*)::integer as count, 0 as "oldestSeconds"
      from (select webhook_id, tenant_id from hookwright.deliveries
            where ${isQueued.held} and webhook_id > 0 limit ${WALKED}) d
      group by 1, 2 order by 3 desc`,
  },
};

/** The deliveries that have been due longest, or some that are held, by webhook. */
export const walk = (client: pg.PoolClient, kind: Queued): Promise<Found[]> => query<Found>(client, walks[kind], []);

/** A webhook that may have a queue. The first ones of each source are counted first. */
export interface Candidate {
  webhookId: number;
  tenantId: number;
  /** Due deliveries that daemons say they have in hand. */
  reported: number;
}

const likelyStatement: Statement = {
  name: 'likely_queued',
  text: `
    with reported as (
      select webhook_id, tenant_id, sum(due)::integer as due
      from (select * from hookwright.endpoint_states where due > 0 order by due desc limit ${MOST_REPORTED}) s
      where updated_at > now() - interval '${REPORTED_MINUTES} minutes' group by 1, 2),
    before as (
      select webhook_id, tenant_id, due + held as queued from hookwright.queue_stats
      where resolution = 'MINUTE' and bucket = $1::timestamptz - interval '1 minute' and webhook_id <> 0),
    disabled as (
      (select id, tenant_id, disabled_at from hookwright.webhooks
       where deleted_at is null and not active and disabled_reason = 'FAILURES'
       order by disabled_at desc nulls last, id limit ${NEWEST_DISABLED})
      union all
      (select id, tenant_id, disabled_at from hookwright.webhooks
       where deleted_at is null and not active and disabled_reason = 'GONE'
       order by disabled_at desc nulls last, id limit ${NEWEST_DISABLED}))
    select webhook_id as "webhookId", min(tenant_id) as "tenantId", max(due) as reported
    from (select webhook_id, tenant_id, due, row_number() over (order by due desc) as place from reported
          union all select webhook_id, tenant_id, 0, row_number() over (order by queued desc) from before
          union all select id, tenant_id, 0, row_number() over (order by disabled_at desc nulls last) from disabled) each
    group by webhook_id order by min(place), webhook_id`,
};

/** Webhooks that daemons report, that had a queue a minute ago, and that were disabled last. */
export const findLikely = (client: pg.PoolClient, minute: Date): Promise<Candidate[]> =>
  query<Candidate>(client, likelyStatement, [minute]);

/**
 * Goes through the webhooks with open deliveries in the order of their ids, as far as `STEPS` allow.
 *
 * @param after the webhook where the last look ended; 0: begins with the first one
 * @returns `next` is 0 when it has come to the end
 */
export async function stepOn(
  client: pg.PoolClient,
  kind: Queued,
  days: readonly string[],
  after: number,
): Promise<{ found: Candidate[]; next: number }> {
  const steps = Math.max(1, Math.floor(STEPS / days.length));
  const status = kind === 'due' ? 'PENDING' : 'HELD';
  const nextSql = (than: string) => `
    select * from (${days
      .map(
        (day) => `
      (select webhook_id, tenant_id, due_at from hookwright.${day} where status = '${status}' and webhook_id > ${than}
       order by webhook_id limit 1)`,
      )
      .join(' union all ')}) first order by webhook_id limit 1`;
  const text = `
    with recursive queue_step as (
      select first.*, 1 as step from (${nextSql('$1::bigint')}) first
      union all
      select next.*, step + 1 from queue_step s cross join lateral (${nextSql('s.webhook_id')}) next
      where step < ${steps})
    select webhook_id as "webhookId", tenant_id as "tenantId", 0 as reported, due_at <= now() as "isDue"
    from queue_step`;
  const rows = await query<Candidate & { isDue: boolean }>(client, { text }, [after]);
  const found = rows.filter(({ isDue }) => kind === 'held' || isDue);
  return { found, next: rows.length < steps ? 0 : (rows.at(-1)?.webhookId ?? 0) };
}

/**
 * Counts deliveries of webhooks by the index of each day.
 *
 * @param limit so many of each day are counted at most
 */
export function countOf(
  client: pg.PoolClient,
  kind: Queued,
  days: readonly string[],
  webhooks: readonly Candidate[],
  limit: number,
): Promise<Found[]> {
  const column = kind === 'due' ? 'due_at' : 'id';
  const counted = days.map(
    (day) => `
    (select ${column} from hookwright.${day} d where d.webhook_id = w.id and ${isQueued[kind]}
     order by ${column} limit $3::integer)`,
  );
  const oldest = kind === 'due' ? secondsSince('min(due_at)') : '0';
  const text = `
    with queue_counted as (
      select w.id as "webhookId", w.tenant_id as "tenantId", c.*
      from unnest($1::bigint[], $2::bigint[]) as w(id, tenant_id) cross join lateral (
        select count(*)::integer as count, ${oldest} as "oldestSeconds" from (${counted.join(' union all ')}) d) c)
    select * from queue_counted where count > 0`;
  const [ids, tenantIds] = [webhooks.map(({ webhookId }) => webhookId), webhooks.map(({ tenantId }) => tenantId)];
  return query<Found>(client, { text }, [ids, tenantIds, limit]);
}
