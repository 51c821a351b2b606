import type { Database, Statement } from '../../database/database.js';
import { tenantQuery } from '../../database/tenant-database.js';

/**
 * Counts end here: "2,500 or more" says as much as a number, and counting a million rows takes as long as a dashboard
 * may. A webhook's end earlier, because a page has up to 100 of them.
 */
export const TENANT_COUNT_MAX = 2_500;
export const WEBHOOK_COUNT_MAX = 250;
export const HELD_SHOWN_MAX = 1_000;

/** Deliveries that are still to be sent. A count of `countMax` means that there are at least so many. */
export interface Backlog {
  due: number;
  oldestDueAt: Date | null;
  scheduled: number;
  held: number;
  countMax: number;
}

/** Whose deliveries, as SQL. */
interface Of {
  tenantId: string;
  /** The table, or the view of it. */
  deliveries: string;
}

const ofOne: Of = { tenantId: '$1', deliveries: 'deliveries' };

/**
 * Open deliveries of the webhook `w`, in the order of the partial index of their state, for which the planner then
 * takes that index, and stops at the limit, whatever else is in the table.
 */
const open = (state: 'due' | 'scheduled' | 'held', countMax: number, { tenantId, deliveries }: Of = ofOne) => `
  select ${state === 'held' ? 'd.id' : 'd.due_at'} from hookwright.${deliveries} d
  where d.tenant_id = ${tenantId} and d.webhook_id = w.id and ${conditions[state]}
  order by ${state === 'held' ? 'd.id' : 'd.due_at'} limit ${countMax}`;

const conditions = {
  due: `d.status = 'PENDING' and d.due_at <= now()`,
  scheduled: `d.status = 'PENDING' and d.due_at > now()`,
  held: `d.status = 'HELD'`,
} as const;

const countOfWebhook = (state: keyof typeof conditions, countMax = WEBHOOK_COUNT_MAX) =>
  `(select count(*)::integer from (${open(state, countMax)}) as counted)`;

const webhooksStatement: Statement = {
  name: 'read_webhook_backlogs',
  text: `
    select w.id, due.count as due, due.oldest as "oldestDueAt", ${countOfWebhook('scheduled')} as scheduled,
           ${countOfWebhook('held')} as held
    from unnest($2::bigint[]) as w(id) cross join lateral (
      select count(*)::integer, min(due_at) as oldest from (${open('due', WEBHOOK_COUNT_MAX)}) as counted) as due`,
};

/** What each webhook still has to be sent. */
export async function readWebhookBacklogs(
  db: Pick<Database, 'pool'>,
  tenantId: number,
  webhookIds: readonly number[],
): Promise<Map<number, Backlog>> {
  const rows = await tenantQuery<Backlog & { id: number }>(db.pool, tenantId, webhooksStatement, [
    tenantId,
    [...webhookIds],
  ]);
  return new Map(rows.map(({ id, ...backlog }) => [id, { ...backlog, countMax: WEBHOOK_COUNT_MAX }]));
}

const heldStatement: Statement = {
  name: 'count_held',
  text: `select w.id, ${countOfWebhook('held', HELD_SHOWN_MAX)} as held from unnest($2::bigint[]) as w(id)`,
};

/** How many deliveries each webhook holds, at most `HELD_SHOWN_MAX`. */
export async function countHeld(
  db: Pick<Database, 'pool'>,
  tenantId: number,
  webhookIds: readonly number[],
): Promise<Map<number, number>> {
  const rows = await tenantQuery<{ id: number; held: number }>(db.pool, tenantId, heldStatement, [
    tenantId,
    [...webhookIds],
  ]);
  return new Map(rows.map(({ id, held }) => [id, held]));
}

/** The inner limit is for one webhook with a long backlog, the outer one ends the whole. */
const countOfTenant = (state: keyof typeof conditions, of: Of) => `
  (select count(*)::integer from (
    select from w cross join lateral (${open(state, TENANT_COUNT_MAX, of)}) as one limit ${TENANT_COUNT_MAX}) as counted)`;

/** SQL query: what a tenant's webhooks, all together, still have to be sent. @param webhooks a query for their ids */
export const backlogOfTenantSql = ({ webhooks, ...of }: Of & { webhooks: string }) => `
  with w as materialized (${webhooks})
  select ${countOfTenant('due', of)} as due, (select min((${open('due', 1, of)})) from w) as "oldestDueAt",
         ${countOfTenant('scheduled', of)} as scheduled, ${countOfTenant('held', of)} as held`;

const tenantStatement: Statement = {
  name: 'read_tenant_backlog',
  text: backlogOfTenantSql({
    ...ofOne,
    webhooks: 'select id from hookwright.webhooks where tenant_id = $1 and deleted_at is null',
  }),
};

/** What the tenant's webhooks, all together, still have to be sent. */
export async function readTenantBacklog(db: Pick<Database, 'pool'>, tenantId: number): Promise<Backlog> {
  const [row] = await tenantQuery<Omit<Backlog, 'countMax'>>(db.pool, tenantId, tenantStatement, [tenantId]);
  return { ...row!, countMax: TENANT_COUNT_MAX };
}
