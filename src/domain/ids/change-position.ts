/** A reader's position in the changes of a tenant: it has all that the snapshot includes, and nothing after. */
export interface ChangePosition {
  /** While it stays the same, no change was left out. */
  epoch: string;
  /** A Postgres snapshot, `xmin:xmax:xip,…`: its order is that of commits. */
  snapshot: string;
  /** When the snapshot was taken, by the clock of the database, in ms since 1970. */
  readAtMs: number;
}

/** Changes of the last 5 minutes can be asked for. */
export const RESUMABLE_MS = 300_000;

const CURSOR_CHARS_MAX = 8_192;
const EPOCH = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const SNAPSHOT = /^\d{1,18}:\d{1,18}:(\d{1,18}(,\d{1,18})*)?$/;

export function encodePosition({ epoch, snapshot, readAtMs }: ChangePosition): string {
  return Buffer.from(`${epoch} ${Math.floor(readAtMs)} ${snapshot}`).toString('base64url');
}

/** @returns null for a text that is not a cursor; Postgres refuses a made-up one that reads like one */
export function decodePosition(cursor: string): ChangePosition | null {
  if (cursor.length > CURSOR_CHARS_MAX || !/^[A-Za-z0-9_-]+$/.test(cursor)) {
    return null;
  }
  const [epoch = '', readAt = '', snapshot = '', ...rest] = Buffer.from(cursor, 'base64url')
    .toString('latin1')
    .split(' ');
  const isOurs = rest.length === 0 && EPOCH.test(epoch) && /^\d{1,15}$/.test(readAt) && SNAPSHOT.test(snapshot);
  return isOurs ? { epoch, snapshot, readAtMs: Number(readAt) } : null;
}

/** Whether all transactions with ids below `xid` had ended when the snapshot was taken. */
export function includesAllBelow({ snapshot }: ChangePosition, xid: bigint): boolean {
  return BigInt(snapshot.split(':', 1)[0] ?? '0') >= xid;
}

/** Whether changes after `position` are still known at `now`. */
export function isResumable(position: ChangePosition, now: ChangePosition): boolean {
  const ageMs = now.readAtMs - position.readAtMs;
  return position.epoch === now.epoch && ageMs >= 0 && ageMs <= RESUMABLE_MS;
}
