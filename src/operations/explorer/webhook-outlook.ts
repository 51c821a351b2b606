import type { Database, Statement } from '../../database/database.js';
import { tenantQuery } from '../../database/tenant-database.js';

/** What a webhook's page shows of what comes next, and of what went wrong last. */

type Db = Pick<Database, 'pool'>;

/** Of a webhook's newest deliveries, so many are looked at. */
export const FAILURES_LOOKED_OF_WEBHOOK = 1_000;
export const NEXT_ATTEMPTS_MAX = 50;

const nextStatement: Statement = {
  name: 'read_next_attempts',
  text: `
    select w.id, array(
      select d.id::float8 from hookwright.deliveries d
      where d.tenant_id = $1 and d.webhook_id = w.id and d.status = 'PENDING' and d.due_at > now()
      order by d.due_at limit ${NEXT_ATTEMPTS_MAX}) as ids
    from unnest($2::bigint[]) as w(id)`,
};

/** The deliveries whose next attempts are planned for later, by webhook: their ids, the soonest one first. */
export async function readNextAttempts(
  { pool }: Db,
  tenantId: number,
  webhookIds: readonly number[],
): Promise<Map<number, number[]>> {
  const rows = await tenantQuery<{ id: number; ids: number[] }>(pool, tenantId, nextStatement, [
    tenantId,
    [...webhookIds],
  ]);
  return new Map(rows.map(({ id, ids }) => [id, ids]));
}

interface FailuresOfCode {
  errorCode: string;
  deliveries: number;
}

const failuresStatement: Statement = {
  name: 'read_failures_of_webhooks',
  text: `
    select w.id, f."errorCode", f.deliveries from unnest($2::bigint[]) as w(id) cross join lateral (
      select last_error_code as "errorCode", count(*)::integer as deliveries
      from (select d.last_error_code from hookwright.deliveries d
            where d.webhook_id = w.id and (d.tenant_id = $1) is true
            order by d.id desc limit ${FAILURES_LOOKED_OF_WEBHOOK}) looked
      where last_error_code is not null group by 1) f
    order by w.id, f.deliveries desc, f."errorCode"`,
};

/** Of the newest deliveries to each webhook, how many failed last for which reason; the most frequent one first. */
export async function readFailuresOfWebhooks(
  { pool }: Db,
  tenantId: number,
  webhookIds: readonly number[],
): Promise<Map<number, FailuresOfCode[]>> {
  const rows = await tenantQuery<FailuresOfCode & { id: number }>(pool, tenantId, failuresStatement, [
    tenantId,
    [...webhookIds],
  ]);
  return Map.groupBy(rows, ({ id }) => id);
}
