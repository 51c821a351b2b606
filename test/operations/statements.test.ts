import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sweepsOf } from '../../daemon/duties/duties.js';
import { ApiKey, activeKeys, activeSessions, endedKeys, endedSessions } from '../../src/entities/api-key.js';
import type { BulkSelection } from '../../src/operations/bulk/bulk-filter.js';
import { countSelected, selectChunk } from '../../src/operations/bulk/bulk-selection.js';
import { forgetMoved } from '../../src/operations/cells/move/forget.js';
import { worthAskingSql } from '../../src/operations/challenges/take-due.js';
import { writeItems } from '../../src/operations/emits/emit-statements.js';
import { countDeliveries } from '../../src/operations/explorer/count-deliveries.js';
import { readFanOut } from '../../src/operations/explorer/fan-out.js';
import type { Bounds } from '../../src/operations/explorer/page.js';
import {
  type DeliveryConditions,
  pageDeliveries,
  pageDeliveriesByEvent,
  pageDeliveriesByWebhook,
} from '../../src/operations/explorer/page-deliveries.js';
import { pageEvents } from '../../src/operations/explorer/page-events.js';
import {
  countHeld,
  readFailuresOfWebhooks,
  readNextAttempts,
  readTenantBacklog,
  readWebhookBacklogs,
} from '../../src/operations/explorer/read-backlog.js';
import {
  answerBodies,
  answerHeaders,
  eventBodies,
  scheduledBodies,
} from '../../src/operations/explorer/read-bodies.js';
import { deliveryContents } from '../../src/operations/explorer/read-sent-contents.js';
import type { SearchDeps } from '../../src/operations/explorer/search.js';
import { forgetOld, OLD_ROWS } from '../../src/operations/housekeeping/forget.js';
import { expire, openWith } from '../../src/operations/housekeeping/roll-partitions.js';
import { worthDoing } from '../../src/operations/housekeeping/worth-doing.js';
import { countOpen } from '../../src/operations/installation/open-deliveries.js';
import { searchAll } from '../../src/operations/installation/search-parts.js';
import { searches } from '../../src/operations/installation/searches.js';
import { readJobsAside } from '../../src/operations/jobs/read-jobs-aside.js';
import { countOf, stepOn } from '../../src/operations/queue/find-queued.js';
import type { Conversions } from '../../src/operations/releases/conversions.js';
import { allocateId } from '../../src/operations/rows/allocate-id.js';
import { rollUpStats } from '../../src/operations/stats/roll-up-stats.js';
import { eraseTenants } from '../../src/operations/tenants/delete-tenant.js';
import { eraseOptionsRows } from '../../src/operations/webhooks/settings.js';
import { type Database, openDatabase } from '../../src/platform/database/database.js';
import { freeJobs, freeJobsNotInHand } from '../../src/platform/graphile-worker/locked-jobs.js';
import { freeJobsOfDead } from '../../src/platform/graphile-worker/worker-pools.js';
import { createTestDatabase } from '../support/database.js';
import { moveStatements } from '../support/move-statements.js';
import { watchedLog } from '../support/plaintext.js';
import { isStatement, readSql, type SqlLiteral } from '../support/sql-in-sources.js';

const NOW = new Date(0);
/** A day that has partitions. */
const NOW_DAY = new Date().toISOString().slice(0, 10).replaceAll('-', '');
/** What functions read from an answer. */
const ROW = {
  day: NOW_DAY,
  deliveries: true,
  events: true,
  name: 'deliveries',
  after: null,
  found: [],
  id: 1,
  below: 1,
  now: NOW,
  minutesUntil: NOW,
  hoursUntil: NOW,
  daysUntil: NOW,
  minutesFrom: NOW,
  hoursFrom: NOW,
};

/** A database that writes statements down, and answers each with one row. */
class Notes {
  readonly texts: string[] = [];
  readonly pool = {
    query: async (statement: string | { text: string }) => {
      this.texts.push(typeof statement === 'string' ? statement : statement.text);
      return { rows: [ROW], rowCount: 0 };
    },
    connect: async () => this.pool,
    release: () => {},
  } as never as pg.Pool & pg.PoolClient;
  readonly deps = { db: this, searches: { run: (_: number, work: () => unknown) => work() } } as never as SearchDeps;
}

const DAYS = 30;
const RULES = { cloudEventsSource: undefined, publicUrl: undefined, payloadBytesMax: 1 };
const [ASC, DESC] = (['asc', 'desc'] as const).map((order) => ({ above: 0, below: 1, order, limit: 1 })) as [
  Bounds,
  Bounds,
];

const conditions: DeliveryConditions[] = [
  {},
  { webhookId: 1 },
  { webhookId: 1, status: 'PENDING' },
  { eventId: 1 },
  { status: 'HELD' },
  { status: 'WAITING' },
  { status: 'FAILED' },
  { eventType: 'a.b' },
  ...([0, 2, 3, 4, 5] as const).map((statusClass) => ({ statusClass })),
  { errorCode: 'TIMEOUT' },
  { payloadContains: 'abc' },
  { lastAttemptFailed: true },
  { retrying: true },
];

const selections: BulkSelection[] = [
  { kind: 'REPLAY_EVENTS', webhookId: 1, filter: {} },
  { kind: 'REPLAY_EVENTS', webhookId: 1, filter: { includeDelivered: true } },
  { kind: 'RECOVER_WEBHOOK', webhookId: 1, filter: {} },
  { kind: 'CANCEL_DELIVERIES', webhookId: null, filter: {} },
  { kind: 'RECOVER_DELIVERIES', webhookId: null, filter: { statusCodeClass: 'HTTP_5XX', lastAttemptFailed: true } },
  { kind: 'RECOVER_DELIVERIES', webhookId: null, filter: { eventId: 'ev_1', errorCode: 'TIMEOUT' } },
  { kind: 'ATTEMPT_NOW', webhookId: null, filter: { retrying: true, payloadContains: 'abc' } },
];

/** Calls the functions that put statements together, for each of their forms. Constants need no call. */
const callAll = (on: Notes): Promise<unknown>[] => [
  ...conditions.flatMap((each) => [ASC, DESC].map((bounds) => pageDeliveries(on.deps, 1, each, bounds))),
  ...conditions.map((each) => countDeliveries(on.deps, 1, each, DESC)),
  ...[ASC, DESC].flatMap((bounds) => [
    pageDeliveriesByWebhook(on.deps, 1, [1], { eventType: 'a.b' }, bounds),
    pageDeliveriesByWebhook(on.deps, 1, [1], { status: 'WAITING' }, bounds),
    pageDeliveriesByEvent(on.deps, 1, [1], bounds),
    readFanOut(on.deps, 1, [{ event: { id: 1, eventType: 'a.b', onlyWebhookId: null }, bounds }], {
      retentionDays: DAYS,
      now: NOW,
    }),
    ...[{}, { eventId: 1 }, { eventType: 'a.b' }, { payloadContains: 'a' }].map((each) =>
      pageEvents(on.deps, 1, each, bounds),
    ),
  ]),
  ...[readWebhookBacklogs, countHeld, readNextAttempts, readFailuresOfWebhooks].map((read) => read(on, 1, [1])),
  ...[eventBodies, scheduledBodies, deliveryContents(RULES, {} as Conversions)].flatMap(({ measure, read }) => [
    measure(on, 1, [1]),
    read(on, 1, [1]),
  ]),
  ...[answerBodies, answerHeaders].flatMap(({ measure, read }) => [measure(on, 1, ['1/1']), read(on, 1, ['1/1'])]),
  ...selections.flatMap((each) => [countSelected(on.pool, 1, each, ASC), selectChunk(on.pool, 1, each, ASC, 1)]),
  ...Object.values(OLD_ROWS).map((rows) => forgetOld(on.pool, rows, DAYS)),
  ...(['deliveries', 'events'] as const).map(async (parent) => {
    const open = await openWith(on.pool, parent, 'deliveries');
    await expire(on.pool, open!, () => {});
  }),
  ...(['tenants', 'webhooks', 'api_keys'] as const).map((table) => allocateId(on.pool, table)),
  eraseTenants(on.pool, DAYS),
  forgetMoved(on.pool, { token: '', tenantId: 1 }),
  rollUpStats(on.pool),
  ...(['MANUAL', 'AUTOMATIC'] as const).map((recovery) =>
    worthDoing(on.pool, sweepsOf({ db: on, log: watchedLog(), config: { deliveryDefaults: { recovery } as never } })),
  ),
  ...(['due', 'held'] as const).flatMap((kind) => [
    stepOn(on.pool, kind, ['deliveries'], 0),
    countOf(on.pool, kind, ['deliveries'], [], 1),
  ]),
  worthDoing(on.pool, [{ name: 'challenges', worthIt: worthAskingSql }]),
  writeItems(on.pool, [
    {
      ...{ tenantId: 1, eventType: 'a.b', body: '{}', idempotencyKey: null, onlyWebhookId: null, priority: 0 },
      ...{ orderingKey: null, keepHours: 1 },
    },
  ]),
  readTenantBacklog(on, 1),
  countOpen(on.pool, null),
  eraseOptionsRows({ em: db.orm.em, sql: on.pool }, [1]),
  ...Object.values(searches).map((search) => searchAll(on.pool, search)),
  readJobsAside(on.pool),
  freeJobs(on.pool, 'pool', []),
  freeJobsNotInHand(on.pool, 'pool', new Set()),
  freeJobsOfDead(on.pool, []),
];

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let db: Database;
let literals: SqlLiteral[];
/** Without those that are a part of another one. */
let statements: string[];

beforeAll(async () => {
  database = await createTestDatabase();
  db = await openDatabase(database.url, { poolMax: 1, onError: () => {} });
  const notes = new Notes();
  await Promise.allSettled(callAll(notes)); // some make no sense of the answer
  const client = await db.pool.connect();
  notes.texts.push(...(await moveStatements(client)));
  client.release();
  const sql = await readSql();
  literals = sql.literals;
  // The one SQL in the ORM's conditions. Its columns are those of entities: test/contract.test.ts.
  const keys = [activeKeys(), activeSessions(), endedSessions(), ...endedKeys()].map((where) =>
    db.orm.em.fork().createQueryBuilder(ApiKey).where(where).getFormattedQuery(),
  );
  const own = literals.flatMap(({ statement }) => statement ?? []);
  const found = [...notes.texts.filter(isStatement), ...sql.constants, ...own, ...keys];
  statements = [];
  for (const text of found.sort((a, b) => b.length - a.length)) {
    if (!has(text)) {
      statements.push(text);
    }
  }
});

afterAll(async () => {
  await db.close();
  await database.drop();
});

const has = (part: string) => statements.some((text) => text.includes(part));

/** Whether a statement has the texts of a literal, in their order. */
function isMadeFrom(statement: string, { texts }: SqlLiteral): boolean {
  let at = 0;
  return texts.every((text) => {
    const found = statement.indexOf(text, at);
    at = found + text.length;
    return found >= 0;
  });
}

/** The place of the longest literal that a statement is made from. */
function placeOf(statement: string): string {
  const lengthOf = ({ texts }: SqlLiteral) => texts.join('').length;
  const made = literals.filter((literal) => lengthOf(literal) > 20 && isMadeFrom(statement, literal));
  return made.sort((a, b) => lengthOf(b) - lengthOf(a))[0]?.place ?? 'the ORM, or a short text';
}

/** @returns why Postgres refuses to prepare which of them */
async function refusalsOf(texts: readonly string[]): Promise<string[]> {
  const client = await db.pool.connect();
  const refusals: string[] = [];
  for (const text of texts) {
    await client.query(`prepare checked as ${text}`).then(
      () => client.query('deallocate checked'),
      (error: Error) => refusals.push(`${placeOf(text)}: ${error.message}, in ${text}`),
    );
  }
  client.release();
  return refusals;
}

test('statements name tables, columns and functions that are in the schema', async () => {
  expect(statements.length).toBeGreaterThan(150);
  expect(await refusalsOf(statements)).toEqual([]);
});

test('no file has SQL that is in none of the checked statements', () => {
  const unknown = literals.filter(
    (literal) => !statements.some((statement) => isMadeFrom(statement, literal)) || !literal.inner.every(has),
  );
  expect(unknown.map(({ place, texts }) => `${place}: ${texts.join('…')}`)).toEqual([]);
});
