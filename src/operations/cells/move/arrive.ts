import type pg from 'pg';
import { query, type Statement } from '../../../platform/database/database.js';
import { needsJobSql, prioritySql } from '../../../platform/graphile-worker/job-conditions.js';
import { about, auditBySql, commandLine } from '../../rows/audit.js';
import { raiseEventsOfEntries } from './connections.js';
import type { MoverContext } from './context.js';
import { type Choice, copyRows } from './copy.js';
import { noteArrival } from './decide.js';
import { attemptsOf, foreignKeys } from './precopy.js';
import type { Move } from './state.js';
import { changedOf, ENDED, MOVED_TABLES, ofTenant, SUMMED_AFTER_HOURS } from './tables.js';

/** The rows that a tenant has brought while it was closed. */
export interface Arrived {
  /** Rows by their tables. */
  rows: Record<string, number>;
}

const erasedStatement: Statement = {
  text: `
    select e.id::float8 as id from hookwright.events e
    where e.tenant_id = $1 and e.erased_at >= $2::timestamptz and e.id < hookwright.id_at($2::timestamptz)`,
};

/**
 * Step 4a: writes all that is not there yet in the caller's transaction of the target, from the snapshot of the reader.
 * The row that decides comes first.
 */
export async function arrive(context: MoverContext): Promise<Arrived> {
  const { move, from, ends, shapes, pace, signal } = context;
  const { target } = ends;
  await noteArrival(target, move, from);
  const erased = await query<{ id: number }>(ends.reader, erasedStatement, [move.tenantId, move.copiedBefore]);
  const erasedIds = erased.map(({ id }) => id);
  const arrived: Arrived = { rows: {} };
  for (const choice of choicesOfClosed(move, erasedIds)) {
    signal.throwIfAborted();
    if (choice.table === 'idempotency_keys' && erasedIds.length > 0) {
      await forgetKeys(target, move.tenantId, erasedIds);
    }
    const rows = await copyRows(ends, shapes, { ...choice, replaces: choice.replaces ?? true }, pace);
    arrived.rows[choice.table] = (arrived.rows[choice.table] ?? 0) + rows;
  }
  await settleIn(context);
  return arrived;
}

/** The rows that are copied when the tenant is closed. @param erased events whose payloads were erased meanwhile */
export function choicesOfClosed(
  { tenantId, copiedBefore }: Pick<Move, 'tenantId' | 'copiedBefore'>,
  erased: readonly number[],
): Choice[] {
  const before = `timestamptz '${copiedBefore}'`;
  const erasedList = `'{${erased.join(',')}}'::bigint[]`;
  const since = (id: string) => `${id} >= hookwright.id_at(${before})`;
  const ofErased = (column: string) => (erased.length === 0 ? 'false' : `${column} = any(${erasedList})`);
  const changedDelivery = `t.tenant_id = ${tenantId}
    and (t.finished_at is null or t.finished_at >= ${before} or ${ofErased('t.event_id')})`;
  const wheres: Readonly<Record<string, string>> = {
    events: `(${since('t.id')} or ${ofErased('t.id')})`,
    deliveries: changedDelivery,
    event_traces: since('t.event_id'),
    idempotency_keys: `(t.created_at >= ${before} or ${ofErased('t.event_id')})`,
    audit_log: `t.created_at >= ${before}`,
  };
  return Object.entries(MOVED_TABLES).flatMap(([table, way]): Choice[] => {
    if (way === 'STAYS') {
      return [];
    }
    if (table === 'attempts') {
      return [attemptsOf(changedDelivery)];
    }
    const ended = ENDED[table]?.(before);
    const where = wheres[table] ?? (ended === undefined ? 'true' : `not (${ended})`);
    const own = { table, where: `${ofTenant(table, tenantId)} and ${where}`, set: changedOf(table) };
    return table === 'api_keys' ? [{ ...foreignKeys(tenantId, before), replaces: false }, own] : [own];
  });
}

const forgetKeysStatement: Statement = {
  text: 'delete from hookwright.idempotency_keys where tenant_id = $1 and event_id = any($2::bigint[])',
};

/** The keys of erased events have other names since. */
async function forgetKeys(target: pg.Client, tenantId: number, erased: readonly number[]): Promise<void> {
  await query(target, forgetKeysStatement, [tenantId, erased]);
}

const positionsStatement: Statement = {
  text: `
    select (select last_value::float8 from hookwright.ordering_position) as ordering,
           (select last_value::float8 from hookwright.options_version) as options,
           minutes_until::text as minutes, hours_until::text as hours, days_until::text as days
    from hookwright.stats_progress`,
};

interface Positions {
  ordering: number;
  options: number;
  minutes: string;
  hours: string;
  days: string;
}

const sequencesStatement: Statement = {
  text: `
    select setval('hookwright.ordering_position', greatest(nextval('hookwright.ordering_position'), $1::bigint)),
           setval('hookwright.options_version', greatest(nextval('hookwright.options_version'), $2::bigint))`,
};

/** Sums are made again from the earlier mark, as long as there is what they are made of. */
const summedStatement: Statement = {
  text: `
    update hookwright.stats_progress set
      minutes_until = greatest(minutes_from, least(minutes_until, $1::timestamptz, date_trunc('minute', $4::timestamptz)
        - interval '${SUMMED_AFTER_HOURS} hours')),
      hours_until = greatest(minutes_from, least(hours_until, $2::timestamptz)),
      days_until = greatest(hours_from, least(days_until, $3::timestamptz))`,
};

const jobsStatement: Statement = {
  text: `
    select hookwright.enqueue_deliveries(array_agg(d.id order by d.id), array_agg(d.attempt_count + 1 order by d.id),
      array_agg(greatest(d.due_at, hookwright.opens_at(d.webhook_id)) order by d.id),
      array_agg(${prioritySql('d.attempt_count')} order by d.id)) as jobs
    from hookwright.deliveries d
    where d.tenant_id = $1 and d.status = 'PENDING' and ${needsJobSql('d.due_at')} having count(*) > 0`,
};

const backStatement: Statement = {
  text: `
    delete from hookwright.moved_keys m using hookwright.api_keys k where k.id = m.key_id and k.tenant_id = $1`,
};

/** An earlier move away from here is over: no command and no duty does the rest of it. */
const overStatement: Statement = {
  text: `
    update hookwright.tenant_moves set state = 'DONE', changed_at = clock_timestamp()
    where tenant_id = $1 and direction = 'OUT' and state = 'OPEN'`,
};

/** Does what follows from the rows that are there now. */
async function settleIn({ move, from, ends }: MoverContext): Promise<void> {
  const { tenantId, copiedBefore } = move;
  const [positions] = await query<Positions>(ends.reader, positionsStatement, []);
  const { ordering, options, minutes, hours, days } = positions!;
  await query(ends.target, sequencesStatement, [ordering, options]);
  await query(ends.target, jobsStatement, [tenantId]);
  await query(ends.target, backStatement, [tenantId]);
  await query(ends.target, overStatement, [tenantId]);
  const change = { action: 'TENANT_MOVED', after: { fromCell: from } } as const;
  await raiseEventsOfEntries(ends.target, true);
  await auditBySql(ends.target, commandLine, { ...about('TENANT', tenantId, tenantId), ...change });
  await query(ends.target, summedStatement, [minutes, hours, days, copiedBefore]);
}
