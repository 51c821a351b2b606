/**
 * Deliveries of a bulk operation wait behind fresh traffic by their lane, but each chunk is a burst of work. So chunks
 * are small, and the pause between two is a multiple of the time that the last one took.
 */

/** At most this many deliveries of one operation wait in the queue. */
export const BULK_WAITING_MAX = 1_000;
export const BULK_CHUNK = 50;
/** A chunk that queues nothing (it cancels, or nothing matches) disturbs nobody but Postgres. */
export const BULK_CHUNK_UNQUEUED = 500;
const PAUSE_PER_WORK = 8;
const PAUSE_MS_MIN = 20;
const PAUSE_MS_MAX = 500;
const WAIT_MS_MAX = 10_000;

/** How many deliveries may be queued now, while `waiting` of the same operation wait already. */
export function bulkRoom(waiting: number): number {
  const room = Math.min(BULK_CHUNK, BULK_WAITING_MAX - waiting);
  // Many small chunks would cost more than they move.
  return room < BULK_CHUNK / 2 ? 0 : room;
}

export interface BulkProgress {
  queued: number;
  /** Deliveries that have left the queue since the last chunk. */
  drained: number;
  hadRoom: boolean;
  tookMs: number;
  /** The last pause, if it ended with the queue still full and nothing drained; else 0. */
  waitedMs: number;
}

export interface BulkPause {
  inMs: number;
  waitedMs: number;
}

/** When the next chunk comes. The longer a full queue does not move, the longer are the pauses. */
export function bulkPause({ queued, drained, hadRoom, tookMs, waitedMs }: BulkProgress): BulkPause {
  if (hadRoom && queued === 0) {
    return { inMs: 0, waitedMs: 0 };
  }
  if (hadRoom || drained > 0) {
    return { inMs: Math.min(Math.max(PAUSE_PER_WORK * tookMs, PAUSE_MS_MIN), PAUSE_MS_MAX), waitedMs: 0 };
  }
  const inMs = Math.min(Math.max(2 * waitedMs, PAUSE_MS_MIN), WAIT_MS_MAX);
  return { inMs, waitedMs: inMs };
}
