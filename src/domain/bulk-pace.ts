/**
 * How fast a bulk operation goes. What it queues waits behind fresh traffic by its lane (lanes.ts), but it shares a
 * machine with it: each chunk costs Postgres and the daemon a burst. So chunks are small and come one after the other
 * with a pause, and an endpoint that cannot keep up is waited for.
 */

/** At most so many deliveries of one operation wait in the queue. */
export const BULK_WAITING_MAX = 2_000;
export const BULK_CHUNK = 250;
const PAUSE_MS = 100;
/** An endpoint that takes nothing is looked at again after this long. */
const WAIT_MS_MAX = 10_000;

/** How many deliveries may be queued now, while so many of the same operation wait already. */
export function bulkRoom(waiting: number): number {
  const room = Math.min(BULK_CHUNK, BULK_WAITING_MAX - waiting);
  // Many small chunks would cost more than they move.
  return room < BULK_CHUNK / 2 ? 0 : room;
}

export interface BulkProgress {
  /** Deliveries that were queued in this chunk. */
  queued: number;
  /** Deliveries that have left the queue since the last chunk. */
  drained: number;
  /** Whether there was room for more. */
  hadRoom: boolean;
  /** What the last pause was that ended with a full queue which nothing had left; 0 at first. */
  waitedMs: number;
}

/** When the next chunk comes. The longer a full queue does not move, the longer are the pauses. */
export function bulkPause({ queued, drained, hadRoom, waitedMs }: BulkProgress): {
  inMs: number;
  waitedMs: number;
} {
  if (hadRoom) {
    // What queues nothing disturbs nobody: canceling, and looking through what does not match.
    return { inMs: queued > 0 ? PAUSE_MS : 0, waitedMs: 0 };
  }
  if (drained > 0) {
    return { inMs: PAUSE_MS, waitedMs: 0 };
  }
  const inMs = Math.min(Math.max(2 * waitedMs, PAUSE_MS), WAIT_MS_MAX);
  return { inMs, waitedMs: inMs };
}
