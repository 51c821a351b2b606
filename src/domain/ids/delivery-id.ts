import { DAY_MS } from '../text/durations.js';

/** The ids of events and deliveries count time from here. */
const EPOCH_MS = Date.UTC(2025, 0, 1);

/** The low 12 bits are a sequence, so a millisecond has room for 4,096 ids. */
export const IDS_PER_MS = 4096;

/** Ids grow by this in a day. */
export const IDS_PER_DAY = DAY_MS * IDS_PER_MS;

/** The time at which an event or a delivery was made, from its time-ordered id, to the millisecond. */
export function idToDate(id: number): Date {
  // Division, not `>>`: JavaScript's shifts would first cut the id down to 32 bits.
  return new Date(EPOCH_MS + Math.floor(id / IDS_PER_MS));
}

/**
 * The lowest id of this millisecond. Dates that no id can have (before 2025, after 2094) give the lowest and the
 * highest id there can be, so that the bounds of a filter may lie anywhere.
 */
export function dateToId(date: Date): number {
  return Math.min(Math.max((date.getTime() - EPOCH_MS) * IDS_PER_MS, 0), Number.MAX_SAFE_INTEGER);
}

/** The least and the greatest id. Beside a list of ids they keep Postgres from opening the partitions of other days. */
export const idRange = (ids: readonly number[]): [least: number, greatest: number] => [
  Math.min(...ids),
  Math.max(...ids),
];
