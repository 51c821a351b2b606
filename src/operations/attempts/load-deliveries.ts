import type pg from 'pg';
import { idRange } from '../../domain/ids/delivery-id.js';
import { query, type Statement } from '../../platform/database/database.js';
import { bigintArray } from '../../platform/database/rows-parameter.js';
import { formerStateSql } from '../contents/former-state.js';
import { countsAsHeldSql } from '../deliveries/counts-as-held.js';
import type { DeliverGroupPayload, DeliverPayload } from '../jobs/tasks.js';
import { isProvedSql } from '../proofs/proved.js';
import { selectToSend, sentNames, type WebhookToSend } from './webhook-to-send.js';

/** Deliveries that the transaction which wrote them has loaded. */
interface Loaded {
  /** A time before that transaction (monotonic, ms). */
  atMs: number;
  deliveries: ReadonlyMap<number, DueDelivery>;
}

/** Claimed jobs bring their deliveries with them. */
export type DeliverJob = DeliverPayload & { loaded?: Loaded | undefined };
export type DeliverGroupJob = DeliverGroupPayload & { loaded?: Loaded | undefined };

/** A delivery as its job names it. */
export interface NamedDelivery extends DeliverJob {
  /** The group whose job named it; undefined: it has a job of its own. */
  group?: number;
}

/** A delivery whose attempt is due now, with everything that the attempt needs, as it stood when it was loaded. */
export interface DueDelivery extends WebhookToSend {
  id: number;
  tenantId: number;
  webhookId: number;
  eventType: string;
  body: string;
  /** Behind the path of the webhook's url; null: it is sent to the url itself. */
  path: string | null;
  /** The content that is sent instead of the body; null: the body itself. */
  content: { id: number; eventId: number; typeVersion?: number | null; previous?: string | null } | null;
  /** Where its event's trace goes on from; null: it is not traced. */
  traceparent: string | null;
  /** The secret before the last rotation, sealed; null when its overlap was over. */
  previousSecret: Buffer | null;
  /** The rest, in ms, of the pause that the endpoint has asked for; 0 or less: it is open. */
  closedForMs: number;
  /** In how many ms the next attempt may begin, since the last ones have failed; 0 or less: now. */
  nextProbeInMs: number;
  /** The number of the attempt that is due. */
  attemptNumber: number;
  /** How often it had been redelivered: each time a new run of attempts begins. */
  run: number;
  /** Failed attempts of this run so far. */
  failuresBefore: number;
  /** It is sent once, whatever state its webhook has, and changes nothing of the webhook's health. */
  isCheck: boolean;
  /** It is in the queue of a key: its end wakes the next one. */
  isOrdered: boolean;
  /** The webhook is disabled by failures: a success enables it, and a failure uses up no retry. */
  isProbe: boolean;
  /** It settles, and another transaction has it locked: a later event of its key may be taking its place. */
  isBeingReplaced: boolean;
}

/**
 * NOT_YET: the delivery's webhook is inactive or deleted, its event was erased, its tenant moves to another cell, or
 * its time has not come. SUPERSEDED: the job's attempt was made already (and the job for the next one is on its way),
 * or the delivery has finished, or has a job of its own.
 */
export type NotDue = 'NOT_YET' | 'SUPERSEDED';

interface Row extends Omit<DueDelivery, 'isBeingReplaced'> {
  jobGroup: number | null;
  isDue: boolean;
  /** A later event may have taken its place until now (docs/decisions/0093). */
  settles: boolean;
}

/**
 * Webhook, event and delivery must agree on the tenant: nothing is ever sent across. The conditions beside the keys are
 * wrapped in `is true` so that no index is chosen for them: planned on empty tables, a day's first load would go by
 * tenant or webhook, and go on reading everything that they have (1.5 s instead of 2 ms, measured).
 */
const loadSql = (
  traceparent: { column: string; join: string },
  status = `d.status = 'PENDING'`,
  isDue = `d.due_at <= now() and (d.is_check and ${isProvedSql('w')} or w.active and (${countsAsHeldSql('d', 'w')}) is not true)`,
) => `
    select d.id, d.tenant_id as "tenantId", d.webhook_id as "webhookId", d.event_type as "eventType", e.body,
           case when d.content_id is not null
             then json_build_object('id', d.content_id, 'eventId', d.event_id, 'typeVersion', e.type_version,
                                    'previous', ${formerStateSql('e', 'd')}) end as content,
           ${traceparent.column} as traceparent, ${selectToSend('w')},
           case when w.previous_secret_expires_at > now() then w.previous_sealed_secret end as "previousSecret",
           coalesce(extract(epoch from w.closed_until - now())::float8 * 1000, 0) as "closedForMs",
           coalesce(extract(epoch from w.next_probe_at - now())::float8 * 1000, 0) as "nextProbeInMs",
           d.attempt_count + 1 as "attemptNumber", d.run, d.attempt_count - d.attempts_before as "failuresBefore",
           d.job_group as "jobGroup",
           d.path, d.is_check as "isCheck", d.ordering_key is not null as "isOrdered",
           d.settling_since is not null and d.attempt_count = 0 as settles,
           w.deleted_at is null and e.erased_at is null and not w.moving and ${isDue} as "isDue"
    from hookwright.deliveries d
    join hookwright.events e on e.tenant_id = d.tenant_id and e.id = d.event_id
    join hookwright.webhooks w on w.id = d.webhook_id and (w.tenant_id = d.tenant_id) is true
    ${traceparent.join}
    where d.id = any($1::bigint[]) and d.id between $2 and $3 and (${status}) is true`;

const UNTRACED = { column: 'null', join: '' };

const loadStatement: Statement = { name: 'load_deliveries', text: loadSql(UNTRACED) };

const loadProbesStatement: Statement = {
  name: 'load_probes',
  text: loadSql(
    UNTRACED,
    `d.status in ('PENDING', 'HELD')`,
    `(not w.active and w.disabled_reason = 'FAILURES' and ${isProvedSql('w')}) is true`,
  ),
};

/** Used by daemons that make traces. */
const loadTracedStatement: Statement = {
  name: 'load_traced_deliveries',
  text: loadSql({
    column: 't.traceparent',
    join: 'left join hookwright.event_traces t on t.event_id = d.event_id and (t.tenant_id = d.tenant_id) is true',
  }),
};

/**
 * An emit that replaces a delivery which settles locks it first, and looks at the clock then. So one that is free here,
 * and due, is not replaced any more; one that was replaced, or is locked, is not found.
 */
const settledStatement: Statement = {
  name: 'lock_settled',
  text: `
    select d.id from hookwright.deliveries d
    where d.id = any($1::bigint[]) and d.id between $2 and $3
      and (d.status = 'PENDING' and d.attempt_count = 0 and d.due_at <= now()) is true
    order by d.id for update skip locked`,
};

/** @returns those of the deliveries that are being replaced, or were just now */
async function replacedAmong(pool: pg.Pool, rows: ReadonlyMap<number, Row>): Promise<ReadonlySet<number>> {
  const replaced = new Set<number>();
  for (const { id, settles, isDue } of rows.values()) {
    if (settles && isDue) {
      replaced.add(id);
    }
  }
  if (replaced.size > 0) {
    const ids = [...replaced];
    for (const { id } of await query<{ id: number }>(pool, settledStatement, [bigintArray(ids), ...idRange(ids)])) {
      replaced.delete(id);
    }
  }
  return replaced;
}

/** Loads the deliveries that jobs name: a job is only a hint. Those NOT_YET due are for `turnAwayDeliveries`. */
export async function loadDeliveries(
  pool: pg.Pool,
  jobs: readonly NamedDelivery[],
  { traced = false }: { traced?: boolean } = {},
): Promise<(DueDelivery | NotDue)[]> {
  const probes = jobs.filter(({ probe }) => probe);
  const ordinary = probes.length === 0 ? jobs : jobs.filter(({ probe }) => !probe);
  const found = await rowsOf(pool, traced ? loadTracedStatement : loadStatement, ordinary);
  const foundProbes = probes.length === 0 ? found : await rowsOf(pool, loadProbesStatement, probes);
  const replaced = await replacedAmong(pool, found);
  return jobs.map(({ id, attempt, group, probe = false }) => {
    const row = (probe ? foundProbes : found).get(id);
    if (row !== undefined && !row.isDue) {
      return 'NOT_YET';
    }
    const isMeant = row?.attemptNumber === attempt && (group === undefined || row.jobGroup === group);
    return row !== undefined && isMeant ? compact(row, probe, !probe && replaced.has(id)) : 'SUPERSEDED';
  });
}

async function rowsOf(pool: pg.Pool, statement: Statement, jobs: readonly NamedDelivery[]): Promise<Map<number, Row>> {
  const ids = jobs.map(({ id }) => id);
  const rows = ids.length === 0 ? [] : await query<Row>(pool, statement, [bigintArray(ids), ...idRange(ids)]);
  return new Map(rows.map((row) => [row.id, row]));
}

/** A delivery of one shape: rows of pg are slower to read (`drain`: 4 % more CPU time). */
function compact(row: Row, isProbe: boolean, isBeingReplaced: boolean): DueDelivery {
  const due: Partial<Record<keyof DueDelivery, unknown>> = {
    id: row.id,
    tenantId: row.tenantId,
    webhookId: row.webhookId,
    eventType: row.eventType,
    body: row.body,
    path: row.path,
    content: row.content,
    traceparent: row.traceparent,
    previousSecret: row.previousSecret,
    closedForMs: row.closedForMs,
    nextProbeInMs: row.nextProbeInMs,
    attemptNumber: row.attemptNumber,
    run: row.run,
    failuresBefore: row.failuresBefore,
    isCheck: row.isCheck,
    isOrdered: row.isOrdered,
    isProbe,
    isBeingReplaced,
  };
  for (const name of sentNames) {
    due[name] = row[name];
  }
  return due as DueDelivery;
}
