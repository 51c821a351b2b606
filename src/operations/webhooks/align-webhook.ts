import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { HasPool } from '../../platform/database/database.js';
import { impatientTransaction, orLocked } from '../../platform/database/impatient-transaction.js';
import { MOVING_REST_MS } from '../cells/moving.js';
import { idsUntilSql } from '../deliveries/counts-as-held.js';
import { wakePutOff } from '../deliveries/wake-put-off.js';
import { enqueueAlign } from '../jobs/enqueue.js';
import type { Woken } from '../jobs/tasks.js';
import { alignChunk, type HeldBounds, MOVED_ROWS, type SeenWebhook, START } from './align-chunk.js';

/** A pause after the first released chunk: an endpoint that still fails disables its webhook again within this time. */
const PROBE_MS = 100;
/** Longer than daemons lock rows that they write. Alignments of other webhooks wait meanwhile. */
const LOCK_WAIT_MS = 1_000;
const LOCKED_REST_MS = 2_000;

/** The part of a long alignment that one job does. */
interface Piece {
  pieceMs: number;
  /** In how many milliseconds the next job may go on. */
  restInMs: () => number;
}

/**
 * Aligns a webhook's open deliveries with it, in chunks: an inactive webhook's pending ones are held, an active one's
 * held ones are released in the order of ids (or kept, or canceled, as requested) and its put-off ones woken, a deleted
 * one's are canceled. It reads the state again for each chunk and may be stopped and started again at any point. The
 * rest is left to another job when the time is over, or when another session has locked a row.
 *
 * @param woken how far an earlier job has woken deliveries
 * @returns how many deliveries were moved or woken
 */
export async function alignWebhook(
  db: HasPool,
  tenantId: number,
  webhookId: number,
  { pieceMs, restInMs }: Piece,
  woken?: Woken,
): Promise<number> {
  const endAt = performance.now() + pieceMs;
  const leaveRest = (rest?: Woken, inMsMin = 0) =>
    enqueueAlign(db.pool, tenantId, webhookId, rest, Math.max(inMsMin, restInMs()));
  const { moved, ending } = await moveOpen(db.pool, tenantId, webhookId, endAt);
  if (ending === 'MOVING') {
    await leaveRest(woken, MOVING_REST_MS);
    return moved;
  }
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
  /** Why there may be more to move; else the webhook for which nothing is left. */
  ending: 'TIME' | 'LOCKED' | 'MOVING' | SeenWebhook;
}

/** Moves chunk by chunk. @param endAt monotonic, ms: no chunk but the first begins after this */
async function moveOpen(pool: pg.Pool, tenantId: number, webhookId: number, endAt: number): Promise<Moved> {
  let moved = 0;
  let released = 0;
  let position = START;
  for (;;) {
    const chunk = await orLocked(
      impatientTransaction(pool, LOCK_WAIT_MS, (client) => alignChunk(client, tenantId, webhookId, position)),
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
      await delay(PROBE_MS);
    }
    position = chunk.next;
    if (performance.now() >= endAt) {
      return { moved, ending: 'TIME' };
    }
  }
}

/**
 * Forgets bounds that no delivery is left for: after the database's clock was set back, they would include new ones.
 * Bounds that were replaced meanwhile stay for the next alignment. So does that of a webhook that keeps deliveries,
 * while others wait for them.
 *
 * @returns false: another session has locked the webhook
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
    update hookwright.webhooks
    set discard_held_up_to = null,
        keep_held_up_to = case when keep_held and exists (
          select from hookwright.ordering_queue q where q.webhook_id = $1 and q.delivery_id <= ${idsUntilSql('keep_held_up_to')})
          then keep_held_up_to end
    where id = $1 and keep_held_up_to is not distinct from $2::bigint
      and discard_held_up_to is not distinct from $3::bigint`;
  const values = [webhookId, keep_held_up_to, discard_held_up_to];
  const forget = (client: pg.PoolClient) => client.query(text, values);
  return (await orLocked(impatientTransaction(pool, LOCK_WAIT_MS, forget))) !== 'LOCKED';
}
