import type { Database, Statement } from '../database.js';
import { tenantQuery } from '../tenant-database.js';

/**
 * Counts end here: "10,000 or more" says as much as a number, and counting a million rows takes as long as a dashboard
 * may. A webhook's end earlier, because a page has up to 100 of them.
 */
export const TENANT_COUNT_MAX = 10_000;
export const WEBHOOK_COUNT_MAX = 1_000;

/** Deliveries that are still to be sent. A count of `countMax` means that there are at least so many. */
export interface Backlog {
  due: number;
  oldestDueAt: Date | null;
  scheduled: number;
  held: number;
  countMax: number;
}

/** The partitions of days that are still to come are made already; a clock may run ahead of ours by a day. */
const noFuture = `d.id < hookwright.id_at(now() + interval '1 day')`;

/** Deliveries of the webhook `w` in this state, found by the partial index of that state. */
const open = (columns: string, where: string) => `
  select ${columns} from hookwright.deliveries d
  where d.tenant_id = $1 and d.webhook_id = w.id and ${noFuture} and ${where}`;

const isDue = `d.status = 'PENDING' and d.due_at <= now()`;
const isScheduled = `d.status = 'PENDING' and d.due_at > now()`;
const isHeld = `d.status = 'HELD'`;

const countOfWebhook = (where: string) =>
  `(select count(*)::integer from (${open('', where)} limit ${WEBHOOK_COUNT_MAX}) as counted)`;

const oldestOfWebhook = `(${open('d.due_at', isDue)} order by d.due_at limit 1)`;

const webhooksStatement: Statement = {
  name: 'read_webhook_backlogs',
  text: `
    select w.id, ${countOfWebhook(isDue)} as due, ${oldestOfWebhook} as "oldestDueAt",
           ${countOfWebhook(isScheduled)} as scheduled, ${countOfWebhook(isHeld)} as held
    from unnest($2::bigint[]) as w(id)`,
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
  text: `select w.id, ${countOfWebhook(isHeld)} as held from unnest($2::bigint[]) as w(id)`,
};

/** How many deliveries each webhook holds, at most `WEBHOOK_COUNT_MAX`. */
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

/** The inner limit keeps one webhook from being counted to its end, the outer one ends the whole. */
const countOfTenant = (where: string) => `
  (select count(*)::integer from (
    select from w cross join lateral (${open('', where)} limit ${TENANT_COUNT_MAX}) as one limit ${TENANT_COUNT_MAX}) as counted)`;

const tenantStatement: Statement = {
  name: 'read_tenant_backlog',
  text: `
    with w as materialized (
      select id from hookwright.webhooks where tenant_id = $1 and deleted_at is null)
    select ${countOfTenant(isDue)} as due, (select min(${oldestOfWebhook}) from w) as "oldestDueAt",
           ${countOfTenant(isScheduled)} as scheduled, ${countOfTenant(isHeld)} as held`,
};

/** What the tenant's webhooks, all together, still have to be sent. */
export async function readTenantBacklog(db: Pick<Database, 'pool'>, tenantId: number): Promise<Backlog> {
  const [row] = await tenantQuery<Omit<Backlog, 'countMax'>>(db.pool, tenantId, tenantStatement, [tenantId]);
  return { ...row!, countMax: TENANT_COUNT_MAX };
}
