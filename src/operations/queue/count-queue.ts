import type pg from 'pg';
import {
  QUEUE_COUNT_MAX,
  QUEUE_ROWS_MAX,
  type QueueOfWebhook,
  type QueueRow,
  rowsOfMinute,
} from '../../domain/stats/queue.js';
import { query, type Statement, transaction } from '../../platform/database/database.js';
import { column, RowsParameter } from '../../platform/database/rows-parameter.js';
import { INSTALLATION_COUNT_MAX } from '../installation/open-deliveries.js';
import { countWithin } from './count-within.js';
import { type Candidate, type Found, findLikely, type Queued, stepOn, WALKED, walk } from './find-queued.js';

/** Blocks that looking webhooks up in the indexes of days may take, and what each look-up takes. */
const LOOK_UP_BLOCKS = 400;
const BLOCKS_A_LOOK_UP = 3;

/** The queue as the report of the installation has it. */
interface Report {
  due: number;
  held: number;
  oldestSeconds: number;
  /** Numbers of open deliveries, by the name of the partition. */
  days: Readonly<Record<string, Record<Queued, number>>>;
}

const reportStatement: Statement = {
  name: 'read_queue_report',
  text: `
    select (i ->> 'due')::integer as due, (i ->> 'held')::integer as held,
           (i ->> 'oldestDueSeconds')::float8 as "oldestSeconds", coalesce(days, '{}') as days
    from (select report::json -> 'installation' as i, report::json #> '{openByDay,days}' as days
          from hookwright.installation_report where made_at > now() - interval '1 minute') r
    where i is not null`,
};

/** Without a daemon that reports, long queues are known as far as they were walked. */
const NO_REPORT: Report = { due: 0, held: 0, oldestSeconds: 0, days: {} };

/** The daemon that moves the mark to a minute counts it. Times that nobody counted are noted. */
const takeStatement: Statement = {
  name: 'take_queue_minute',
  text: `
    with before as (select counted_until from hookwright.queue_progress for update),
    moved as (
      update hookwright.queue_progress p set counted_until = date_trunc('minute', coalesce($1::timestamptz, now()))
      from before where before.counted_until <> date_trunc('minute', coalesce($1, now()))
      returning p.counted_until as minute, before.counted_until as before, held_after, due_after),
    gap as (
      insert into hookwright.queue_gaps
      select before + interval '1 minute', minute from moved where before < minute - interval '1 minute'
      on conflict do nothing)
    select minute, due_after as due, held_after as held from moved`,
};

const keepCursorsStatement: Statement = {
  name: 'keep_queue_cursors',
  text: `
    update hookwright.queue_progress set due_after = $1, held_after = $2
    where (due_after, held_after) is distinct from ($1::bigint, $2::bigint)`,
};

const written = new RowsParameter<QueueRow & { others: boolean }>(
  {
    tenant_id: column.bigint(({ tenantId }) => tenantId),
    webhook_id: column.bigint(({ webhookId }) => webhookId),
    due: column.integer(({ due }) => due),
    held: column.integer(({ held }) => held),
    oldest_seconds: column.integer(({ oldestSeconds }) => Math.round(oldestSeconds)),
    is_more: column.boolean(({ isMore }) => isMore),
    others: column.boolean(({ others }) => others),
  },
  { after: 1 },
);

const writeStatement: Statement = {
  name: 'write_queue',
  text: `
    insert into hookwright.queue_stats (resolution, bucket, ${written.names})
    select 'MINUTE', $1, * from ${written.as('written')} on conflict do nothing`,
};

interface Taken extends Record<Queued, number> {
  minute: Date;
}

/**
 * Writes what is queued at this minute: of all tenants together, and of the webhooks with the largest queues, with the
 * sums of their tenants. One daemon does it in a minute. Nothing is written when nothing is queued, but for the mark
 * that the minute was counted (docs/decisions/0089).
 *
 * @param at the time; default: that of the database
 * @returns the number of rows
 */
export async function countQueue(pool: pg.Pool, at: Date | null = null): Promise<number> {
  return await transaction(pool, async (client) => {
    const [taken] = await query<Taken>(client, takeStatement, [at]);
    if (taken === undefined) {
      return 0;
    }
    const [report = NO_REPORT] = await query<Report>(client, reportStatement, []);
    // Which ones of many held deliveries the walk would see is chance.
    const held = report.held > 2 * WALKED ? null : await walk(client, 'held');
    const walked = { due: await walk(client, 'due'), held: held ?? [] };
    const long = KINDS.filter((kind) => sumOf(walked[kind]) === WALKED || (kind === 'held' && held === null));
    const { webhooks, areAll } =
      long.length === 0
        ? { webhooks: join(walked, [], {}), areAll: true }
        : await countLong(client, { report, taken, walked, long });
    if (webhooks.length === 0) {
      return 0;
    }
    const { rows, others } = rowsOfMinute(webhooks);
    const all = { ...allOf(webhooks, report, long), others: others || !areAll };
    const minute = [all, ...rows.map((row) => ({ ...row, others: false }))];
    await query(client, writeStatement, [taken.minute, ...written.values(minute)]);
    return minute.length;
  });
}

const KINDS: readonly Queued[] = ['due', 'held'];

/** The row of all tenants together. Of long queues the report knows more. */
function allOf(webhooks: readonly QueueOfWebhook[], report: Report, long: readonly Queued[]): QueueRow {
  const sum = (kind: Queued) =>
    Math.max(
      webhooks.reduce((total, webhook) => total + webhook[kind], 0),
      long.includes(kind) ? report[kind] : 0,
    );
  const [due, held] = [sum('due'), sum('held')];
  const oldestSeconds = Math.max(...webhooks.map((webhook) => webhook.oldestSeconds), report.oldestSeconds);
  return { tenantId: 0, webhookId: 0, due, held, oldestSeconds, isMore: Math.max(due, held) >= INSTALLATION_COUNT_MAX };
}

/** The queues of webhooks, where not all deliveries can be read. `areAll`: no other webhook has one. */
async function countLong(
  client: pg.PoolClient,
  {
    report,
    taken,
    walked,
    long,
  }: { report: Report; taken: Taken; walked: Record<Queued, Found[]>; long: readonly Queued[] },
): Promise<{ webhooks: QueueOfWebhook[]; areAll: boolean }> {
  const days = { due: daysOf(report, 'due'), held: daysOf(report, 'held') };
  const known = long.filter((kind) => days[kind].length > 0);
  const sources = [await findLikely(client, taken.minute)];
  const next = { due: 0, held: 0 };
  for (const kind of known) {
    const stepped = await stepOn(client, kind, days[kind], taken[kind]);
    next[kind] = stepped.next;
    sources.push(
      walked[kind].map((found) => ({ ...found, reported: 0 })),
      stepped.found,
    );
  }
  await query(client, keepCursorsStatement, [next.due, next.held]);
  const candidates = inTurn(sources);
  const daysCounted = known.reduce((sum, kind) => sum + days[kind].length, 0);
  const most = Math.floor(LOOK_UP_BLOCKS / BLOCKS_A_LOOK_UP / Math.max(1, daysCounted));
  const chosen = candidates.slice(0, Math.max(1, Math.min(QUEUE_ROWS_MAX, most)));
  const counted = { ...walked };
  const limits: Partial<Record<Queued, number>> = Object.fromEntries(long.map((kind) => [kind, 1]));
  for (const kind of known) {
    const { found, limit } = await countWithin(client, kind, days[kind], chosen);
    limits[kind] = limit;
    counted[kind] = found;
  }
  const haveAll = chosen.length === candidates.length && known.length === long.length;
  const areAll = haveAll && known.every((kind) => taken[kind] + next[kind] === 0);
  return { webhooks: join(counted, chosen, limits), areAll };
}

const sumOf = (found: readonly Found[]) => found.reduce((sum, { count }) => sum + count, 0);

/** The partitions that have deliveries of the kind, by the report. */
const daysOf = ({ days }: Report, kind: Queued): string[] =>
  Object.keys(days)
    .filter((name) => /^deliveries_\d{8}$/.test(name) && days[name]![kind] > 0)
    .sort();

/** The first candidate of each source, then the second ones, each webhook once. */
function inTurn(sources: readonly (readonly Candidate[])[]): Candidate[] {
  const chosen = new Map<number, Candidate>();
  const longest = Math.max(...sources.map(({ length }) => length));
  for (let place = 0; place < longest; place++) {
    for (const candidate of sources.flatMap((source) => source.slice(place, place + 1))) {
      const known = chosen.get(candidate.webhookId);
      chosen.set(candidate.webhookId, {
        ...candidate,
        reported: Math.max(candidate.reported, known?.reported ?? 0),
      });
    }
  }
  return [...chosen.values()];
}

/** @param limits how far deliveries were counted; without one all were */
function join(
  found: Record<Queued, readonly Found[]>,
  reported: readonly Candidate[],
  limits: Partial<Record<Queued, number>>,
): QueueOfWebhook[] {
  const webhooks = new Map<number, QueueOfWebhook>();
  const inHand = new Map(reported.map((candidate) => [candidate.webhookId, candidate.reported]));
  for (const kind of KINDS) {
    for (const { webhookId, tenantId, count, oldestSeconds } of found[kind]) {
      const row = webhooks.get(webhookId) ?? { webhookId, tenantId, due: 0, held: 0, oldestSeconds: 0, isMore: false };
      webhooks.set(webhookId, row);
      const isCut = count >= (limits[kind] ?? Number.POSITIVE_INFINITY);
      // Daemons know of more than could be counted.
      const known = isCut && kind === 'due' ? Math.max(count, inHand.get(webhookId) ?? 0) : count;
      row[kind] = Math.min(QUEUE_COUNT_MAX, known);
      row.oldestSeconds = Math.max(row.oldestSeconds, oldestSeconds);
      row.isMore ||= isCut;
    }
  }
  return [...webhooks.values()];
}
