import type pg from 'pg';
import { TEST_EVENT_TYPE } from '../../domain/events/event-type.js';
import { LANES } from '../../domain/pacing/lanes.js';
import { ApiError } from '../../errors.js';
import { type HasOrm, type HasPool, query, type Statement } from '../../platform/database/database.js';
import { tenantQuery } from '../../platform/database/tenant-database.js';
import type { Cursor } from '../deliveries/rescue-deliveries.js';
import { isProvedSql } from '../proofs/proved.js';
import { managementTransaction } from '../rows/unit-of-work.js';
import { requireVerified } from './change-verification.js';

/** Webhooks with `recovery: AUTOMATIC` that failures have disabled come back by themselves. */

/** The longest pause between two probes. */
export const PAUSE_MINUTES_MAX = 60;
/** After being enabled for this long, a webhook that is disabled again is first looked at after a minute. */
const STEADY_MINUTES = 60;
/** Each round: a part of the disabled webhooks, and what was disabled just before. */
const LOOKED_MAX = 100;
const CHANGES_LOOKED = 200;
const PROBED_MAX = 50;

const BODY = JSON.stringify({ message: 'Does the endpoint of this webhook answer again?' });

/** SQL: the recovery of a webhook `w` with its row `o` and its tenant `t`. @param installation a parameter */
const inForceSql = (installation: string) => `coalesce(o.recovery, t.recovery, ${installation}) = 'AUTOMATIC'`;
const rowsSql = `
  join hookwright.tenants t on t.id = w.tenant_id
  left join hookwright.webhook_options o on o.webhook_id = w.id`;
const isDisabledSql = `not w.active and w.disabled_reason = 'FAILURES' and w.deleted_at is null
  and ${isProvedSql('w')}`;

const minutesSql = (count: string) => `${count} * interval '1 minute'`;
const doubledSql = (pause: string) => `least(${PAUSE_MINUTES_MAX}, ${pause} * 2)`;

const planStatement: Statement = {
  text: `
    with part as materialized (
      select id from hookwright.webhooks
      where disabled_reason = 'FAILURES' and deleted_at is null and id > $2 order by id limit ${LOOKED_MAX}),
    looked as materialized (
      select id from part
      union select target_id::bigint from (select * from hookwright.audit_log order by id desc limit ${CHANGES_LOOKED}) newest
      where action = 'WEBHOOK_DISABLED' and (select count(*) from part) = ${LOOKED_MAX}),
    planned as (
      select w.id, w.tenant_id, w.generation, w.disabled_at,
             case when r.recovered_at > w.disabled_at - ${minutesSql(String(STEADY_MINUTES))}
                  then ${doubledSql('r.pause_minutes')} else 1 end as pause
      from looked join hookwright.webhooks w on w.id = looked.id ${rowsSql}
      left join hookwright.webhook_recoveries r on r.webhook_id = w.id
      where ${isDisabledSql} and ${inForceSql('$1')} and not w.moving
        and r.generation is distinct from w.generation
      order by w.id),
    written as (
      insert into hookwright.webhook_recoveries as r (webhook_id, tenant_id, generation, pause_minutes, next_probe_at)
      select id, tenant_id, generation, pause, greatest(now(), disabled_at + ${minutesSql('pause')}) from planned
      on conflict (webhook_id) do update
      set generation = excluded.generation, pause_minutes = excluded.pause_minutes, next_probe_at = excluded.next_probe_at)
    select case when count(*) = ${LOOKED_MAX} then max(id)::float8 end as last from part`,
};

/** Waits for no lock: outcomes lock a webhook first and then its row here. */
/** SQL: whether disabled webhooks may be probed (Duty.worthIt). @param installation ENDPOINT_RECOVERY */
export const worthProbingSql = (installation: 'MANUAL' | 'AUTOMATIC'): string =>
  installation === 'AUTOMATIC'
    ? 'true'
    : `(exists (select from hookwright.webhook_options where recovery = 'AUTOMATIC')
        or exists (select from hookwright.tenants where recovery = 'AUTOMATIC')
        or exists (select from hookwright.webhook_recoveries where next_probe_at is not null))`;

const probeStatement: Statement = {
  text: `
    with due as materialized (
      select r.webhook_id, r.tenant_id,
             ${isDisabledSql} and ${inForceSql('$1')} and r.generation = w.generation as wanted
      from hookwright.webhook_recoveries r join hookwright.webhooks w on w.id = r.webhook_id ${rowsSql}
      where r.next_probe_at <= now() and not w.moving
      order by r.next_probe_at limit ${PROBED_MAX}
      for update of r skip locked for share of w skip locked),
    moved as (
      update hookwright.webhook_recoveries r
      set generation = case when wanted then r.generation end,
          pause_minutes = ${doubledSql('r.pause_minutes')},
          next_probe_at = case when wanted then now() + ${minutesSql(doubledSql('r.pause_minutes'))} end
      from due where r.webhook_id = due.webhook_id
      returning r.webhook_id, r.tenant_id, wanted)
    select hookwright.probe_webhook(tenant_id, webhook_id, $2, $3, $4)::float8 as id from moved where wanted`,
};

/**
 * Plans probes of webhooks that are newly disabled, and has those sent that are due. The first pause is a minute, and
 * each further one twice as long, up to an hour. They go on growing when the webhook is disabled again within an hour.
 *
 * @param installation ENDPOINT_RECOVERY
 * @param cursor the last webhook that was read
 * @returns how many were sent
 */
export async function probeDisabled(pool: pg.Pool, installation: string, cursor: Cursor<number> = {}): Promise<number> {
  const [planned] = await query<{ last: number | null }>(pool, planStatement, [installation, cursor.after ?? 0]);
  cursor.after = planned?.last ?? undefined;
  const values = [installation, TEST_EVENT_TYPE, BODY, LANES.TEST.priority];
  const rows = await query<{ id: number | null }>(pool, probeStatement, values);
  return rows.filter(({ id }) => id !== null).length;
}

const againStatement: Statement = {
  name: 'probe_again',
  text: `update hookwright.webhook_recoveries
         set next_probe_at = least(next_probe_at, now() + $2 * interval '1 millisecond')
         where webhook_id = $1 and next_probe_at is not null`,
};

/** The probe could not be sent, which is not the endpoint's fault. */
export async function probeAgain(pool: pg.Pool, webhookId: number, inMs: number): Promise<void> {
  await query(pool, againStatement, [webhookId, inMs]);
}

const oneStatement: Statement = { text: 'select hookwright.probe_webhook($1, $2, $3, $4, $5)::float8 as id' };

/**
 * Sends the oldest held delivery of a webhook that failures have disabled (`webhook.test` if it holds none). A success
 * enables the webhook; a failure changes nothing.
 *
 * @returns the id of the delivery
 * @throws ApiError webhook_unverified, webhook_not_failing
 */
export async function probeNow(db: HasOrm, tenantId: number, webhookId: number): Promise<number> {
  const values = [tenantId, webhookId, TEST_EVENT_TYPE, BODY, LANES.TEST.priority];
  const [row] = await managementTransaction(db, tenantId, async ({ sql }) => {
    await requireVerified(sql, webhookId);
    return await query<{ id: number | null }>(sql, oneStatement, values);
  });
  if (typeof row?.id !== 'number') {
    throw new ApiError('webhook_not_failing', 'Failures have not disabled this webhook; checkWebhook sends a check.');
  }
  return row.id;
}

const nextStatement: Statement = {
  name: 'read_next_probes',
  text: `
    select r.webhook_id as id, r.next_probe_at as "nextProbeAt"
    from hookwright.webhook_recoveries r
    join hookwright.webhooks w on w.id = r.webhook_id and w.generation = r.generation
    where r.tenant_id = $1 and r.webhook_id = any($2::bigint[])`,
};

/** @returns by webhook, when its endpoint is looked at again */
export async function readNextProbes(
  db: HasPool,
  tenantId: number,
  webhookIds: readonly number[],
): Promise<ReadonlyMap<number, Date | null>> {
  const values = [tenantId, [...webhookIds]];
  const rows = await tenantQuery<{ id: number; nextProbeAt: Date | null }>(db.pool, tenantId, nextStatement, values);
  return new Map(rows.map((row) => [row.id, row.nextProbeAt]));
}
