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
