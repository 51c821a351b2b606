import { DAY_MS } from '../durations.js';

/** The ids of events and deliveries count time from here. */
const EPOCH_MS = Date.UTC(2025, 0, 1);

/** The low 12 bits are a sequence, so a millisecond has room for 4,096 ids. */
const IDS_PER_MS = 4096;

/** Ids grow by this in a day. */
export const IDS_PER_DAY = DAY_MS * IDS_PER_MS;

/**
 * The time at which an event or a delivery was made, from its time-ordered id, to the millisecond.
 *
 * @throws RangeError for a number that is not an id: negative, not whole, or above 53 bits
 */
export function idToDate(id: number): Date {
  if (!Number.isSafeInteger(id) || id < 0) {
    throw new RangeError(`Not a time-ordered id: ${id}`);
  }
  // Division, not `>>`: JavaScript's shifts would first cut the id down to 32 bits.
  return new Date(EPOCH_MS + Math.floor(id / IDS_PER_MS));
}

/**
 * The lowest id of this millisecond: what is made at `date` or later has this id or a higher one.
 * Dates that no id can have (before 2025, after 2094) give the lowest and the highest id there can be,
 * so that the bounds of a filter may lie anywhere.
 *
 * @throws RangeError for an invalid Date
 */
export function dateToId(date: Date): number {
  const ms = date.getTime() - EPOCH_MS;
  if (Number.isNaN(ms)) {
    throw new RangeError('An invalid Date has no id');
  }
  return Math.min(Math.max(ms * IDS_PER_MS, 0), Number.MAX_SAFE_INTEGER);
}

/**
 * The least and the greatest id. Given beside a list of ids, Postgres need not open the partitions of all other days:
 * of a list it finds out too late.
 */
export const idRange = (ids: readonly number[]): [least: number, greatest: number] => [
  Math.min(...ids),
  Math.max(...ids),
];
