import { DAY_MS, HOUR_MS } from '../text/durations.js';

/** A key is published for at least this long before it signs: daemons and receivers keep keys for less. */
const PUBLISHED_MS_MIN = 10 * 60_000;
export const ROTATION_HOURS = { min: 24, max: 168 };
/** A key is published for this long after its last signature: deliveries come late, and logs are verified later. */
const KEPT_MS = 7 * DAY_MS;

/**
 * @param inHours 0: the key before has leaked, so it ends when the new one begins
 * @returns when the new key begins to sign, and when the one before is no longer published
 */
export function timesOfRotation(now: Date, inHours: number): { usedFrom: Date; endsAt: Date } {
  const usedFrom = new Date(now.getTime() + Math.max(PUBLISHED_MS_MIN, inHours * HOUR_MS));
  return { usedFrom, endsAt: inHours === 0 ? usedFrom : new Date(usedFrom.getTime() + KEPT_MS) };
}
