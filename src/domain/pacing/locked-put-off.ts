const PUT_OFF_MS_MIN = 1_000;
const PUT_OFF_MS_MAX = 60_000;

/**
 * For how many milliseconds a delivery is put off whose webhook somebody has locked. It is as long as the lock has
 * lasted, and up to half of it more: so the wait doubles each time, and thousands of them do not come back at once.
 *
 * @param lockedMs how long it has been locked
 * @param random 0 ≤ x < 1
 */
export const lockedPutOffMs = (lockedMs: number, random: number): number =>
  Math.min(PUT_OFF_MS_MAX, Math.max(PUT_OFF_MS_MIN, lockedMs)) * (1 + random / 2);
