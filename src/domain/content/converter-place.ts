import { NAME, namesOf, PATH_CHARS_MAX, PATH_NAMES_MAX } from './filter-path.js';

/** Stands for each element of a list. */
export const EACH = null;

/** A place of values in a payload: names of fields, and EACH behind the name of a list. */
export type Place = readonly (string | typeof EACH)[];

const PART = `(?:${NAME.source})(?:\\[\\])*`;
const PLACE = new RegExp(`^${PART}(?:\\.${PART})*$`, 'u');
const PARTS = new RegExp(`(${NAME.source})((?:\\[\\])*)`, 'gu');

/** The place of a path, such as `lines[].sku`; null: it is malformed. */
export function placeOf(path: string): Place | null {
  if (path.length > PATH_CHARS_MAX || !PLACE.test(path)) {
    return null;
  }
  const parts = [...path.matchAll(PARTS)].map(([, name, lists]) => ({
    name: namesOf(name!)?.[0],
    lists: lists!.length / '[]'.length,
  }));
  return parts.length <= PATH_NAMES_MAX && parts.every(({ name }) => name !== undefined)
    ? parts.flatMap(({ name, lists }) => [name!, ...Array<typeof EACH>(lists).fill(EACH)])
    : null;
}

/** The part of a place that leads into lists. */
export const listsOf = (place: Place): Place => place.slice(0, place.lastIndexOf(EACH) + 1);

export const beginsWith = (place: Place, start: Place): boolean => start.every((one, index) => place[index] === one);
