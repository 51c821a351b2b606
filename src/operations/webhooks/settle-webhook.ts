import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { type Database, transaction } from '../../database/database.js';
import { LANES } from '../../domain/lanes.js';
import { openSinceSql } from '../deliveries/counts-as-held.js';
import { canceledSql } from '../deliveries/delivery-state.js';
import { wakePutOff } from '../deliveries/wake-put-off.js';
import { enqueueSettle } from '../jobs/enqueue.js';
import { needsJobSql } from '../jobs/job-conditions.js';
import type { Woken } from '../jobs/tasks.js';

/** Loads and outcomes of the webhook wait for a chunk, and those of others that share a batch with them. */
const MOVED_ROWS = 250;
/**
 * After a first chunk was released: an endpoint that fails still, and at once, has its webhook disabled again by then,
 * and the rest need not come and go.
 */
const FIRST_LOOK_MS = 100;

/** What was open when the webhook was enabled, up to these ids, counts as held (docs/decisions/0021). */
interface HeldBounds {
  keep_held_up_to: number | null;
  discard_held_up_to: number | null;
}

interface WebhookState extends HeldBounds {
  active: boolean;
  deleted: boolean;
  keep_held: boolean;
  hold_expired: boolean;
  /** When it was like this, as Postgres writes it: a Date would lose the microseconds. */
  now: string;
}

/** What one job does of a long settling. */
export interface SettleTurn {
  /** After this long it ends. */
  turnMs: number;
  /** In how many milliseconds the next one may go on. */
  restInMs: () => number;
}

/** One move of a webhook's open deliveries, as SQL: which ones, and what they become. */
interface Move {
  where: string;
  set: string;
  /** Whether the moved deliveries need jobs. */
  enqueue?: boolean;
}

/**
 * Brings a webhook's open deliveries in line with the webhook, in chunks: an inactive webhook's pending ones are held,
 * an active one's held ones are released in the order of ids (or kept, or canceled, as it was asked for) and its
 * put-off ones woken, a deleted one's are canceled. It reads the state again for each chunk and may be stopped and
 * started again at any point.
 *
 * @param turn after how long the rest is left to another job, and when that one may run
 * @param woken what an earlier job has done of the waking, and since when it was to be done
 * @returns how many deliveries were moved or woken
 */
export async function settleWebhook(
  db: Pick<Database, 'pool'>,
  tenantId: number,
  webhookId: number,
  { turnMs, restInMs }: SettleTurn,
  woken?: Woken,
): Promise<number> {
  const endAt = performance.now() + turnMs;
  const leaveRest = (rest?: Woken) => enqueueSettle(db.pool, tenantId, webhookId, rest, restInMs());
  const { moved, isCut, activeAt, bounds } = await moveOpen(db.pool, tenantId, webhookId, endAt);
  if (isCut) {
    await leaveRest();
    return moved;
  }
  await forgetHeldBounds(db.pool, webhookId, bounds);
  if (activeAt === null) {
    return moved;
  }
  const from = woken ?? { wokenTo: 0, putOffBefore: activeAt };
  return moved + (await wakePutOff(db.pool, tenantId, webhookId, from, { endAt, leaveRest }));
}

interface Moved extends Pick<SettledChunk, 'moved' | 'activeAt' | 'bounds'> {
  /** There may be more to move. */
  isCut: boolean;
}

/**
 * Moves chunk by chunk, until nothing is left to move.
 *
 * @param endAt monotonic, ms: no chunk is begun after this, but the first
 */
async function moveOpen(pool: pg.Pool, tenantId: number, webhookId: number, endAt: number): Promise<Moved> {
  let moved = 0;
  let released = 0;
  let place = START;
  for (;;) {
    const chunk = await transaction(pool, (client) => settleChunk(client, tenantId, webhookId, place));
    const { activeAt, bounds } = chunk;
    moved += chunk.moved;
    if (chunk.released) {
      released += chunk.moved;
      if (released === chunk.moved && chunk.moved === MOVED_ROWS) {
        await delay(FIRST_LOOK_MS);
      }
    }
    if (chunk.moved === 0 && place === START) {
      return { moved, isCut: false, activeAt, bounds };
    }
    if (chunk.moved === 0) {
      place = START; // somebody may have committed one behind us
      continue;
    }
    place = chunk.place;
    if (performance.now() >= endAt) {
      return { moved, isCut: true, activeAt, bounds };
    }
  }
}

/** How far a move has come. What lies behind is not passed over again, while an old snapshot keeps it in the index. */
interface Place {
  where: string;
  after: number;
}

const START: Place = { where: '', after: 0 };

interface SettledChunk {
  moved: number;
  place: Place;
  /** Whether those that were moved may be sent now. */
  released: boolean;
  /** When the webhook was seen to be active, with nothing to move; null: it was not. */
  activeAt: string | null;
  bounds: HeldBounds;
}

const NO_HELD_BOUNDS: HeldBounds = { keep_held_up_to: null, discard_held_up_to: null };

async function settleChunk(
  client: pg.PoolClient,
  tenantId: number,
  webhookId: number,
  place: Place,
): Promise<SettledChunk> {
  // Shared lock: the webhook cannot be switched while a chunk follows its state.
  const { rows } = await client.query<WebhookState>(
    `select active, deleted_at is not null as deleted, keep_held, keep_held_up_to, discard_held_up_to,
            coalesce(hold_until <= now(), false) as hold_expired, now()::text as now
     from hookwright.webhooks where id = $1 and tenant_id = $2 for share`,
    [webhookId, tenantId],
  );
  const [webhook] = rows;
  if (webhook === undefined) {
    return { moved: 0, place: START, released: false, activeAt: null, bounds: NO_HELD_BOUNDS };
  }
  for (const move of movesFor(webhook)) {
    const { where } = move;
    const after = where === place.where ? place.after : START.after;
    const { moved, lastId } = await apply(client, tenantId, webhookId, move, after);
    if (lastId !== null) {
      const released = move.enqueue === true;
      return { moved, place: { where, after: lastId }, released, activeAt: null, bounds: webhook };
    }
  }
  const activeAt = webhook.active && !webhook.deleted ? webhook.now : null;
  return { moved: 0, place: START, released: false, activeAt, bounds: webhook };
}

/**
 * Nothing is left that these bounds are for. Kept, they would take in what comes later, should the database's clock be
 * set back. They may have been replaced meanwhile: another settling follows then.
 */
async function forgetHeldBounds(
  pool: pg.Pool,
  webhookId: number,
  { keep_held_up_to, discard_held_up_to }: HeldBounds,
): Promise<void> {
  if (keep_held_up_to === null && discard_held_up_to === null) {
    return;
  }
  await pool.query(
    `update hookwright.webhooks set keep_held_up_to = null, discard_held_up_to = null
     where id = $1 and keep_held_up_to is not distinct from $2::bigint
       and discard_held_up_to is not distinct from $3::bigint`,
    [webhookId, keep_held_up_to, discard_held_up_to],
  );
}

function movesFor(webhook: WebhookState): Move[] {
  if (webhook.deleted) {
    return [
      { where: `status = 'PENDING'`, set: canceledSql('WEBHOOK_DELETED') },
      { where: `status = 'HELD'`, set: canceledSql('WEBHOOK_DELETED') },
    ];
  }
  if (!webhook.active) {
    const hold: Move = { where: `status = 'PENDING'`, set: `status = 'HELD'` };
    const expire: Move = { where: `status = 'HELD'`, set: canceledSql('HOLD_EXPIRED') };
    return [hold, ...discard(webhook), ...(webhook.hold_expired ? [expire] : [])];
  }
  const release: Move = {
    where: `status = 'HELD'`,
    set: `status = 'PENDING', job_group = null`,
    enqueue: true,
  };
  return [...holdRest(webhook), ...discard(webhook), ...(webhook.keep_held ? [] : [release])];
}

/** What was pending still when the webhook was enabled counts as held. */
function holdRest({ keep_held_up_to, discard_held_up_to }: WebhookState): Move[] {
  const bound = Math.max(keep_held_up_to ?? 0, discard_held_up_to ?? 0);
  return bound === 0 ? [] : [{ where: openUpTo('PENDING', bound), set: `status = 'HELD'` }];
}

function discard({ discard_held_up_to: bound }: WebhookState): Move[] {
  return bound === null ? [] : [{ where: openUpTo('HELD', bound), set: canceledSql('DISCARDED') }];
}

const openUpTo = (status: string, bound: number) =>
  `status = '${status}' and id <= ${bound} and ${openSinceSql('d', String(bound))}`;

async function apply(
  client: pg.PoolClient,
  tenantId: number,
  webhookId: number,
  move: Move,
  after: number,
): Promise<{ moved: number; lastId: number | null }> {
  const { rows } = await client.query<{ moved: number; lastId: number | null }>(
    `with chunk as (
       select id from hookwright.deliveries d
       where tenant_id = $1 and webhook_id = $2 and id > $3 and ${move.where}
       order by id limit ${MOVED_ROWS} for update),
     moved as (
       update hookwright.deliveries d set ${move.set} from chunk where d.id = chunk.id
       returning d.id, d.attempt_count, d.due_at),
     queued as (
       select ${move.enqueue ? enqueueMoved : '0'})
     select count(*)::int as moved, max(moved.id) as "lastId" from moved, queued`,
    [tenantId, webhookId, after],
  );
  return rows[0] ?? { moved: 0, lastId: null };
}

/** Retries keep their time; what is due already goes at once. */
const enqueueMoved = `hookwright.enqueue_deliveries(
  array_agg(id order by id), array_agg(attempt_count + 1 order by id),
  array_agg(greatest(due_at, now()) order by id), array_agg(${LANES.BULK.priority} order by id))
  from moved where ${needsJobSql('due_at')}`;
