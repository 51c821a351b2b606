import { HELD_SHOWN_MAX } from '../../domain/deliveries/health-limits.js';
import type { HasPool, Statement } from '../../platform/database/database.js';
import { limitInOrder } from '../../platform/database/limit-in-order.js';
import { tenantQuery } from '../../platform/database/tenant-database.js';
import { statusInQueueSql } from '../ordering/turns.js';

/** Counts end here: counting a million rows takes too long. A webhook's end earlier: a page has up to 100 of them. */
export const TENANT_COUNT_MAX = 2_500;
export const WEBHOOK_COUNT_MAX = 250;
/** How many of a webhook's newest deliveries are searched for failures. */
export const FAILURES_LOOKED_OF_WEBHOOK = 400;
export const NEXT_ATTEMPTS_MAX = 50;

/** Deliveries that are still to be sent. A count of `countMax` means this many or more. */
export interface Backlog {
  due: number;
  oldestDueAt: Date | null;
  scheduled: number;
  held: number;
  /** Deliveries that wait for earlier ones of their ordering keys. */
  waiting: number;
  countMax: number;
}

type Counts = Omit<Backlog, 'countMax'>;

/** Due deliveries that wait because their endpoints have asked for a pause, beside the rest of the backlog. */
export interface ClosedBacklog {
  /** Counted as far as that backlog. */
  due: number;
  /** The webhooks of these deliveries. */
  webhooks: number;
  /** When the last of the pauses ends; null: nothing waits for one. */
  until: Date | null;
  /**
   * When the oldest delivery became due whose endpoint does not want it to wait (`hookwright.endpoint_waits`). Null:
   * there is none. Of a whole installation only the deliveries count that are due longest, as many as are counted.
   */
  oldestOtherDueAt: Date | null;
}

/** The owner of the deliveries, as SQL. */
interface Of {
  tenantId: string;
  /** The tables, or the views of them. */
  deliveries: string;
  queue: string;
}

const ofOne: Of = { tenantId: '$1', deliveries: 'deliveries', queue: 'ordering_queue' };

const conditions = {
  due: `d.status = 'PENDING' and d.due_at <= now()`,
  scheduled: `d.status = 'PENDING' and d.due_at > now()`,
  held: `d.status = 'HELD'`,
} as const;

/**
 * Open deliveries of the webhook `w`, in the order of the partial index of their state. So the planner takes that
 * index, and stops at the limit, whatever else is in the table.
 */
function open(state: keyof typeof conditions, countMax: number, { tenantId, deliveries }: Of = ofOne): string {
  const column = state === 'held' ? 'd.id' : 'd.due_at';
  return `
    select ${column} from hookwright.${deliveries} d
    where d.tenant_id = ${tenantId} and d.webhook_id = w.id and ${conditions[state]}
    order by ${column} limit ${countMax}`;
}

const countOfWebhook = (state: keyof typeof conditions, countMax = WEBHOOK_COUNT_MAX) =>
  `(select count(*)::integer from (${open(state, countMax)}) as counted)`;

/** SQL: the number of deliveries that wait. @param where which rows `q` of the queues */
export const countWaitingSql = (
  where: string,
  countMax: number,
  { deliveries, queue }: Pick<Of, 'deliveries' | 'queue'> = ofOne,
): string => `
  (select count(*)::integer from (
     select from hookwright.${queue} q
     where ${where} and ${statusInQueueSql(deliveries)} = 'WAITING' limit ${countMax}) as counted)`;

/** Makes a function that reads rows of a tenant's webhooks, by webhook. Its statement has the ids as `w`. */
function rowsByWebhook<Row>(name: string, text: (webhooks: string) => string) {
  const statement = { name, text: text('unnest($2::bigint[]) as w(id)') };
  return async (db: HasPool, tenantId: number, webhookIds: readonly number[]) => {
    const rows = await tenantQuery<Row & { id: number }>(db.pool, tenantId, statement, [tenantId, [...webhookIds]]);
    return Map.groupBy(rows, ({ id }) => id);
  };
}

/** The same for one row for each webhook. */
function rowByWebhook<Row, Item>(name: string, text: (webhooks: string) => string, itemOf: (row: Row) => Item) {
  const read = rowsByWebhook<Row>(name, text);
  return async (...args: Parameters<typeof read>): Promise<Map<number, Item>> =>
    new Map([...(await read(...args))].map(([id, [row]]) => [id, itemOf(row!)]));
}

export const readWebhookBacklogs = rowByWebhook(
  'read_webhook_backlogs',
  (webhooks) => `
    select w.id, due.count as due, due.oldest as "oldestDueAt", ${countOfWebhook('scheduled')} as scheduled,
           ${countOfWebhook('held')} as held,
           ${countWaitingSql('q.tenant_id = $1 and q.webhook_id = w.id', WEBHOOK_COUNT_MAX)} as waiting
    from ${webhooks} cross join lateral (
      select count(*)::integer, min(due_at) as oldest from (${open('due', WEBHOOK_COUNT_MAX)}) as counted) as due`,
  (counts: Counts): Backlog => ({ ...counts, countMax: WEBHOOK_COUNT_MAX }),
);

/** So many held deliveries are read in one walk through their index; else those of each webhook, in each day. */
export const FEW_HELD = 2_500;

/** At most `HELD_SHOWN_MAX`. What waits for a held one is held with it. */
export const countHeld = rowByWebhook(
  'count_held',
  (webhooks) => `
    with few as materialized (
      select d.webhook_id from hookwright.deliveries d
      where d.webhook_id = any($2) and ${conditions.held} limit ${FEW_HELD})
    select w.id, case when (select count(*) < ${FEW_HELD} from few) then coalesce(few.held, 0)
                      else ${countOfWebhook('held', HELD_SHOWN_MAX)} end as held,
           case when (select not own.active or own.keep_held from hookwright.webhooks own where own.id = w.id)
                then ${countWaitingSql('q.tenant_id = $1 and q.webhook_id = w.id', HELD_SHOWN_MAX)} else 0 end as waiting
    from ${webhooks} left join (
      select webhook_id, count(*)::integer as held from few group by 1) few on few.webhook_id = w.id`,
  ({ held, waiting }: { held: number; waiting: number }) => Math.min(HELD_SHOWN_MAX, held + waiting),
);

/** The deliveries whose next attempts are planned for later, by webhook: their ids, the soonest one first. */
export const readNextAttempts = rowByWebhook(
  'read_next_attempts',
  (webhooks) => `
    select w.id, array(
      select d.id::float8 from hookwright.deliveries d
      where d.tenant_id = $1 and d.webhook_id = w.id and ${conditions.scheduled}
      order by d.due_at limit ${NEXT_ATTEMPTS_MAX}) as ids
    from ${webhooks}`,
  ({ ids }: { ids: number[] }) => ids,
);

/** How many of each webhook's newest deliveries failed last for which reason; the most frequent reason first. */
export const readFailuresOfWebhooks = rowsByWebhook<{ errorCode: string; deliveries: number }>(
  'read_failures_of_webhooks',
  (webhooks) => `
    select w.id, f."errorCode", f.deliveries from ${webhooks} cross join lateral (
      select last_error_code as "errorCode", count(*)::integer as deliveries
      from (select d.last_error_code from hookwright.deliveries d
            where d.webhook_id = w.id and (d.tenant_id = $1) is true
            order by d.id desc ${limitInOrder(FAILURES_LOOKED_OF_WEBHOOK)}) newest
      where last_error_code is not null group by 1) f
    order by w.id, f.deliveries desc, f."errorCode"`,
);

/** SQL, common table expressions: the webhooks `w` of a query for their ids, and the ids as an array in their order. */
const webhooksSql = (query: string) => `
  ids as materialized (select array(${query} order by id) as ids), w as (select unnest(ids) as id from ids)`;
/** SQL: that array, of a common table expression `ids`. */
export const IDS = '(select ids from ids)::bigint[]';

/**
 * SQL: open deliveries of all webhooks in an array, in one walk through the index of their state. With ids in order, a
 * day needs no sort.
 */
const openOfAll = (columns: string, state: keyof typeof conditions, ids: string, deliveries: string) => `
  select ${columns} from hookwright.${deliveries} d
  where d.webhook_id = any(${ids}) and ${conditions[state]} limit ${TENANT_COUNT_MAX}`;

const countOfTenant = (state: keyof typeof conditions, { deliveries }: Of) =>
  `(select count(*)::integer from (${openOfAll('', state, IDS, deliveries)}) as counted)`;

/** SQL, a common table expression: due deliveries of webhooks `w`; fewer than TENANT_COUNT_MAX are all (`ARE_ALL`). */
const dueSql = ({ deliveries }: Of) =>
  `due as materialized (${openOfAll('d.webhook_id, d.due_at', 'due', IDS, deliveries)})`;
const ARE_ALL = `(select count(*) < ${TENANT_COUNT_MAX} from due)`;

/** So many pending deliveries of a tenant are read at once, and then sorted out. */
const PENDING_MAX = 2 * TENANT_COUNT_MAX;
const IS_WHOLE = `(select count(*) < ${PENDING_MAX} from pending)`;

const countOfPending = (state: 'due' | 'scheduled', of: Of) => `
  case when ${IS_WHOLE}
       then (select least(count(*), ${TENANT_COUNT_MAX})::integer from pending d where ${conditions[state]})
       else ${countOfTenant(state, of)} end`;

/** SQL: the backlog of all of a tenant's webhooks together. @param webhooks a query for their ids */
export const backlogOfTenantSql = ({ webhooks, ...of }: Of & { webhooks: string }) => `
  with ${webhooksSql(webhooks)},
  pending as materialized (
    select d.status, d.due_at from hookwright.${of.deliveries} d
    where d.webhook_id = any(${IDS}) and d.status = 'PENDING' limit ${PENDING_MAX})
  select ${countOfPending('due', of)} as due,
         case when ${IS_WHOLE} then (select min(due_at) from pending where due_at <= now())
              else (select min((${open('due', 1, of)})) from w) end as "oldestDueAt",
         ${countOfPending('scheduled', of)} as scheduled, ${countOfTenant('held', of)} as held,
         ${countWaitingSql(`q.tenant_id = ${of.tenantId}`, TENANT_COUNT_MAX, of)} as waiting`;

const OF_TENANT = 'select id from hookwright.webhooks where tenant_id = $1 and deleted_at is null';

export async function readTenantBacklog(db: HasPool, tenantId: number): Promise<Backlog> {
  const statement = { name: 'read_tenant_backlog', text: backlogOfTenantSql({ ...ofOne, webhooks: OF_TENANT }) };
  const [row] = await tenantQuery<Counts>(db.pool, tenantId, statement, [tenantId]);
  return { ...row!, countMax: TENANT_COUNT_MAX };
}

/** The webhooks that wait longest are asked first whether they want it. */
const closedStatement: Statement = {
  name: 'read_closed_backlog_of_tenant',
  text: `
    with ${webhooksSql(OF_TENANT)},
    ${dueSql(ofOne)},
    waiting as materialized (
      select webhook_id as id, min(due_at) as oldest from due where ${ARE_ALL} group by 1
      union all
      select id, oldest from (select w.id, (${open('due', 1)}) as oldest from w where not ${ARE_ALL}) each
      where oldest is not null),
    closed as materialized (
      select waiting.id, own.closed_until from waiting cross join lateral (
        select w.closed_until from hookwright.webhooks w where w.id = waiting.id and w.active offset 0) own
      where own.closed_until > now())
    select (select count(*)::integer from (${openOfAll('', 'due', 'array(select id from closed order by id)', ofOne.deliveries)}) d) as due,
           (select count(*)::integer from closed) as webhooks, (select max(closed_until) from closed) as until,
           (select oldest from (select * from waiting order by oldest offset 0) in_order
            where not hookwright.endpoint_waits(id) limit 1) as "oldestOtherDueAt"`,
};

/** Reads a tenant's due deliveries that wait for a pause, up to `TENANT_COUNT_MAX`, and the age of the others. */
export async function readClosedBacklogOfTenant({ pool }: HasPool, tenantId: number): Promise<ClosedBacklog> {
  const [row] = await tenantQuery<ClosedBacklog>(pool, tenantId, closedStatement, [tenantId]);
  return row!;
}
