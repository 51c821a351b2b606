const HOUR_MS = 3_600_000;

/** The ranges that end now, in ms. Charts and filters share the names, so a link from one to the other keeps its range. */
export const RANGES = { '1h': HOUR_MS, '24h': 24 * HOUR_MS, '7d': 168 * HOUR_MS, '30d': 720 * HOUR_MS } as const;

export type RangeName = keyof typeof RANGES;

/** A text that begins as ISO 8601, with a year that the API accepts: engines read many other texts as dates. */
const ISO = /^\d{4}(-\d{2}){0,2}(T|$)/;

/**
 * A moment that an address or a form names, as the API takes it.
 *
 * @param text ISO 8601: a day alone is one of UTC, a time without an offset is of the person's zone.
 * @returns undefined where it names none.
 */
export function momentIn(text: string | undefined): string | undefined {
  const ms = text !== undefined && ISO.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}
