import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Database } from '../../database/database.js';
import { impatientTransaction, orLocked } from '../../database/impatient-transaction.js';
import { wakePutOff } from '../deliveries/wake-put-off.js';
import { enqueueAlign } from '../jobs/enqueue.js';
import type { Woken } from '../jobs/tasks.js';
import { alignChunk, type HeldBounds, MOVED_ROWS, type SeenWebhook, START } from './align-chunk.js';

/**
 * After a first chunk was released: an endpoint that fails still, and at once, has its webhook disabled again by then,
 * and the rest need not come and go.
 */
const FIRST_LOOK_MS = 100;
/** Longer than daemons have rows locked that they write. Those of other webhooks wait for the turn meanwhile. */
const LOCK_WAIT_MS = 1_000;
const LOCKED_REST_MS = 2_000;

/** What one job does of a long settling. */
interface AlignTurn {
  /** After this long it ends. */
  turnMs: number;
  /** In how many milliseconds the next one may go on. */
  restInMs: () => number;
}

/**
 * Brings a webhook's open deliveries in line with the webhook, in chunks: an inactive webhook's pending ones are held,
 * an active one's held ones are released in the order of ids (or kept, or canceled, as it was asked for) and its
 * put-off ones woken, a deleted one's are canceled. It reads the state again for each chunk and may be stopped and
 * started again at any point. While another session has a row locked that it needs, the rest is left to another job
 * too.
 *
 * @param turn after how long the rest is left to another job, and when that one may run
 * @param woken what an earlier job has done of the waking, and since when it was to be done
 * @returns how many deliveries were moved or woken
 */
export async function alignWebhook(
  db: Pick<Database, 'pool'>,
  tenantId: number,
  webhookId: number,
  { turnMs, restInMs }: AlignTurn,
  woken?: Woken,
): Promise<number> {
  const endAt = performance.now() + turnMs;
  const leaveRest = (rest?: Woken, inMsMin = 0) =>
    enqueueAlign(db.pool, tenantId, webhookId, rest, Math.max(inMsMin, restInMs()));
  const { moved, ending } = await moveOpen(db.pool, tenantId, webhookId, endAt);
  if (ending === 'TIME' || ending === 'LOCKED') {
    await leaveRest(undefined, ending === 'LOCKED' ? LOCKED_REST_MS : 0);
    return moved;
  }
  const { activeAt, bounds } = ending;
  if (!(await forgetHeldBounds(db.pool, webhookId, bounds))) {
    await leaveRest(undefined, LOCKED_REST_MS);
    return moved;
  }
  if (activeAt === null) {
    return moved;
  }
  const from = woken ?? { wokenTo: 0, putOffBefore: activeAt };
  return moved + (await wakePutOff(db.pool, webhookId, from, { endAt, leaveRest }));
}

interface Moved {
  moved: number;
  /** Why there may be more to move; or nothing is left, and this is the webhook for which that holds. */
  ending: 'TIME' | 'LOCKED' | SeenWebhook;
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
    const chunk = await orLocked(
      impatientTransaction(pool, LOCK_WAIT_MS, (client) => alignChunk(client, tenantId, webhookId, place)),
    );
    if (chunk === 'LOCKED') {
      return { moved, ending: 'LOCKED' };
    }
    moved += chunk.moved;
    if (chunk.next === null) {
      return { moved, ending: chunk.seen };
    }
    const isFirstReleased = released === 0 && chunk.released > 0;
    released += chunk.released;
    if (isFirstReleased && chunk.moved === MOVED_ROWS) {
      await delay(FIRST_LOOK_MS);
    }
    place = chunk.next;
    if (performance.now() >= endAt) {
      return { moved, ending: 'TIME' };
    }
  }
}

/**
 * Nothing is left that these bounds are for. Kept, they would take in what comes later, should the database's clock be
 * set back. They may have been replaced meanwhile: another settling follows then.
 *
 * @returns false: another session has the webhook locked
 */
async function forgetHeldBounds(
  pool: pg.Pool,
  webhookId: number,
  { keep_held_up_to, discard_held_up_to }: HeldBounds,
): Promise<boolean> {
  if (keep_held_up_to === null && discard_held_up_to === null) {
    return true;
  }
  const text = `
    update hookwright.webhooks set keep_held_up_to = null, discard_held_up_to = null
    where id = $1 and keep_held_up_to is not distinct from $2::bigint
      and discard_held_up_to is not distinct from $3::bigint`;
  const values = [webhookId, keep_held_up_to, discard_held_up_to];
  const forget = (client: pg.PoolClient) => client.query(text, values);
  return (await orLocked(impatientTransaction(pool, LOCK_WAIT_MS, forget))) !== 'LOCKED';
}
