import type pg from 'pg';
import { query, type Statement } from '../../../platform/database/database.js';
import { nameOf, waitForOthers } from './barrier.js';
import { inTransaction } from './connections.js';
import type { MoverContext } from './context.js';
import { type Choice, copyRows } from './copy.js';
import { noteCopied } from './state.js';
import { changedOf, ENDED, keysThatActed, ofTenant, tablesOf } from './tables.js';

/** Ids and times are taken before a commit, and clocks are set. */
const MARGIN_SECONDS = 30;
/** How long transactions may last that have taken an id before. */
const OTHERS_MS = 600_000;
/** Most end sooner, and are not worth a sentence. */
const UNSAID_MS = 3_000;
const CHUNK_ROWS = 20_000;

/** So that nobody sees the row that keys and entries refer to, and no duty erases it. */
const UNSEEN = `timestamptz '9999-12-31'`;

const beforeStatement: Statement = {
  text: `select (now() - interval '${MARGIN_SECONDS} seconds')::text as before`,
};

/**
 * Step 1: copies what has ended while the tenant is open, newest days first. The target has the tenant as a deleted one
 * meanwhile, and its keys as revoked ones.
 *
 * @returns the time before which all is copied
 */
export async function precopy(context: MoverContext): Promise<string> {
  const { move, ends, signal, say } = context;
  let before = move.copiedBefore;
  if (before === null) {
    before = (await query<{ before: string }>(ends.source, beforeStatement, []))[0]!.before;
    const first = await waitForOthers(ends.source, UNSAID_MS, signal);
    if (first !== null) {
      say(`${nameOf(first)} has a transaction open. The move waits for it, ten minutes at most.`);
      const blocker = await waitForOthers(ends.source, OTHERS_MS, signal);
      if (blocker !== null) {
        throw new Error(`${nameOf(blocker)} has had a transaction open for ten minutes: end it.`);
      }
    }
    await noteCopied(ends.source, move.token, before, null);
    move.copiedBefore = before;
  }
  const literal = `timestamptz '${before}'`;
  await placeTenant(context);
  await copyDays(context, literal);
  for (const table of tablesOf('BEFORE')) {
    const rows = await copyInChunks(context, { table, where: ENDED[table]!(literal) }, CURSORS[table]);
    if (rows > 0) {
      say(`${table}: ${rows} rows are copied.`);
    }
  }
  return before;
}

/** Writes the rows that others refer to. */
async function placeTenant({ move, ends, shapes, pace }: MoverContext): Promise<void> {
  const { tenantId } = move;
  const hidden = { moving: `'GONE'`, deleted_at: UNSEEN };
  const before = `timestamptz '${move.copiedBefore}'`;
  const revokedAt = `case when ${ENDED['api_keys']!(before)} then t.revoked_at else ${before} end`;
  const keys = { ...changedOf('api_keys'), revoked_at: revokedAt };
  await inTransaction(ends.target, async () => {
    await copyRows(ends, shapes, { table: 'tenants', where: ofTenant('tenants', tenantId), set: hidden }, pace);
    await copyRows(ends, shapes, foreignKeys(tenantId), pace);
    await copyRows(ends, shapes, { table: 'api_keys', where: ofTenant('api_keys', tenantId), set: keys }, pace);
  });
}

/**
 * Keys of the installation that the tenant's rows name. The target has those that work: `key copy`.
 *
 * @param since SQL: only those of entries from this time on
 */
export const foreignKeys = (tenantId: number, since = `timestamptz '-infinity'`): Choice => ({
  table: 'api_keys',
  where: `t.tenant_id is distinct from ${tenantId} and t.id in (${keysThatActed(tenantId, since)})`,
  set: { tenant_id: 'null::bigint', made_in: 'null::bigint', revoked_at: 'coalesce(t.revoked_at, now())' },
});

interface Day {
  day: string;
  low: number;
  high: number;
}

const daysStatement: Statement = {
  text: `
    select day::text, low::float8, high::float8
    from (
      select d.day, hookwright.id_at(d.day::timestamp at time zone 'UTC') as low,
             hookwright.id_at((d.day + 1)::timestamp at time zone 'UTC') as high
      from (select distinct right(c.relname, 8)::date as day
            from pg_inherits i join pg_class c on c.oid = i.inhrelid
            where i.inhparent in ('hookwright.events'::regclass, 'hookwright.deliveries'::regclass)) d) days
    where (exists (select from hookwright.events e where e.tenant_id = $1 and e.id >= low and e.id < high)
           or exists (select from hookwright.deliveries e where e.tenant_id = $1 and e.id >= low and e.id < high))
    order by day desc`,
};

/** The days of which a tenant has events or deliveries, newest first. */
const daysOf = (client: pg.Client, tenantId: number): Promise<Day[]> => query<Day>(client, daysStatement, [tenantId]);

const PARTITIONED = ['events', 'deliveries', 'attempts'];
const partitionStatement: Statement = { text: 'select hookwright.make_partition($1, $2::date)' };

/** Makes the partitions of a day that are missing, as the service's own duty does. */
async function makePartitions(target: pg.Client, day: string): Promise<void> {
  await inTransaction(target, async () => {
    await target.query(`select pg_advisory_xact_lock(hashtextextended('hookwright.partitions', 0))`);
    for (const parent of PARTITIONED) {
      await query(target, partitionStatement, [parent, day]);
    }
  });
}

/**
 * The rows that are copied of a day.
 *
 * @param before SQL: a time
 * @returns the range of the attempts of its deliveries, and what comes after these
 */
export function choicesOfDay(
  { low, high }: Pick<Day, 'low' | 'high'>,
  before: string,
): { deliveries: Choice; attempts: string; rest: Choice[] } {
  const within = (id: string) => `${id} >= ${low} and ${id} < ${high}`;
  const until = `least(${high}, hookwright.id_at(${before}))`;
  return {
    deliveries: { table: 'deliveries', where: `t.finished_at < ${before} and ${within('t.id')}` },
    attempts: within('t.delivery_id'),
    rest: [
      { table: 'events', where: `t.id >= ${low} and t.id < ${until}` },
      { table: 'event_traces', where: `t.event_id >= ${low} and t.event_id < ${until}` },
    ],
  };
}

async function copyDays(context: MoverContext, before: string): Promise<void> {
  const { move, ends, say, pace } = context;
  const days = await daysOf(ends.source, move.tenantId);
  const startedAt = performance.now();
  const left = days.filter(({ day }) => move.dayDone === null || day < move.dayDone);
  for (const [done, { day, low, high }] of left.entries()) {
    await makePartitions(ends.target, day);
    const { deliveries, attempts, rest } = choicesOfDay({ low, high }, before);
    await copyInChunks(context, deliveries, 'id', attempts);
    for (const choice of rest) {
      await copyInChunks(context, choice, choice.table === 'events' ? 'id' : undefined);
    }
    await noteCopied(ends.source, move.token, move.copiedBefore!, day);
    move.dayDone = day;
    const minutesLeft = Math.ceil((((performance.now() - startedAt) / (done + 1)) * (left.length - done - 1)) / 60_000);
    say(
      `${day} is copied, ${done + 1} of ${left.length} days: ${pace.rows} rows at ${pace.perSecond} a second, about ${minutesLeft} min left.`,
    );
  }
}

/** The columns by which tables are read in chunks: those after the tenant in an index. */
const CURSORS: Readonly<Record<string, string>> = { idempotency_keys: 'key', audit_log: 'id', api_keys: 'id' };

/**
 * Copies rows of the tenant, each chunk in a transaction of its own.
 *
 * @param cursor a column; undefined: all in one
 * @param range SQL, of deliveries, whose attempts come with them: a condition of `t.delivery_id`
 */
async function copyInChunks(
  { move, ends, shapes, pace, signal }: MoverContext,
  { table, where }: Choice,
  cursor?: string,
  range?: string,
): Promise<number> {
  const own = `${ofTenant(table, move.tenantId)} and ${where}`;
  let after: string | null = null;
  let rows = 0;
  for (;;) {
    signal.throwIfAborted();
    const from: string = after === null || cursor === undefined ? own : `${own} and t."${cursor}" > '${after}'`;
    const end = cursor === undefined ? null : await endOfChunk(ends.source, table, from, cursor);
    const chunk = end === null ? from : `${from} and t."${cursor}" <= '${end.replaceAll("'", "''")}'`;
    rows += await inTransaction(ends.target, async () => {
      const copied = await copyRows(ends, shapes, { table, where: chunk, set: changedOf(table) }, pace);
      if (range !== undefined) {
        await copyRows(ends, shapes, attemptsOf(chunk, range), pace);
      }
      return copied;
    });
    if (end === null) {
      return rows;
    }
    after = end.replaceAll("'", "''");
  }
}

/**
 * The attempts of deliveries.
 *
 * @param where SQL: a condition of `t`, a delivery
 * @param range SQL, by which few days are read: a condition of `t.delivery_id`
 */
export const attemptsOf = (where: string, range = 'true'): Choice => ({
  table: 'attempts',
  where: `${range} and t.delivery_id in (select t.id from hookwright.deliveries t where ${where})`,
});

/** SQL: the last one of the next rows; none: there are no more than these. */
export const endOfChunkSql = (table: string, where: string, cursor: string): string =>
  `select t."${cursor}"::text as last from hookwright.${table} t where ${where}
   order by t."${cursor}" offset ${CHUNK_ROWS - 1} limit 1`;

async function endOfChunk(source: pg.Client, table: string, where: string, cursor: string): Promise<string | null> {
  const { rows } = await source.query<{ last: string }>(endOfChunkSql(table, where, cursor));
  return rows[0]?.last ?? null;
}
