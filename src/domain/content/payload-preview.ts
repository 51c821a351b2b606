import { cut } from './cut.js';

/** A scalar of a payload. */
interface PayloadValue {
  /** Names and places in lists, joined by dots: `order.items.0.sku`. */
  path: string;
  /** A text as it is, without quotes; all else as in the JSON. A long one is cut. */
  value: string;
}

/** The beginning of a payload, in few words, for lists. */
export interface PayloadPreview {
  /** The first scalars. */
  values: PayloadValue[];
  /** JSON around a searched text that no value shows. Null where a value does, and without a search. */
  excerpt: string | null;
}

/** The characters of a payload that are read for its preview. */
export const PREVIEWED_CHARS = 2_048;
/** The characters of an excerpt, and those of them before the searched text. */
export const EXCERPT_CHARS = { all: 160, before: 40 };
export const PREVIEW_VALUES_MAX = 8;
const VALUE_CHARS_MAX = 80;

/** A name with its colon, a scalar, or a sign. Only the last string can lack its end. */
const TOKEN = /\s*(?:("(?:[^"\\]|\\.)*")\s*:|("(?:[^"\\]|\\.)*(?:"|\\?$)|[^\s{}[\],:"]+)|([{}[\],]))/gsy;

/**
 * The preview of a payload.
 *
 * @param beginning of its JSON, which may end anywhere
 * @param search the searched text, and the JSON around it
 */
export function previewOf(
  beginning: string,
  search: { text: string; around: string | null } | null = null,
): PayloadPreview {
  const values = firstValues(beginning);
  const isShown = search === null || values.some(({ value }) => value.includes(search.text));
  return { values, excerpt: isShown ? null : search.around };
}

/** The name or the place of the current element of an open object or list; null before a name. */
type Place = string | number | null;

function firstValues(beginning: string): PayloadValue[] {
  const values: PayloadValue[] = [];
  const places: Place[] = [];
  for (const [, name, scalar, sign] of beginning.matchAll(TOKEN)) {
    if (name !== undefined) {
      places[places.length - 1] = plain(name);
    } else if (sign !== undefined) {
      step(places, sign);
    } else if (scalar !== undefined && places.at(-1) !== null) {
      const value = scalar.startsWith('"') ? plain(scalar) : scalar;
      values.push({ path: places.join('.'), value: cut(value, VALUE_CHARS_MAX) });
    }
    if (values.length === PREVIEW_VALUES_MAX) {
      break;
    }
  }
  return values;
}

function step(places: Place[], sign: string): void {
  const last = places.at(-1);
  if (sign === '{' || sign === '[') {
    places.push(sign === '{' ? null : 0);
  } else if (sign === ',') {
    places[places.length - 1] = typeof last === 'number' ? last + 1 : null;
  } else {
    places.pop();
  }
}

/** A string of JSON without its quotes and escapes; one that is cut ends before an escape that is cut. */
function plain(string: string): string {
  const isWhole = /^"(?:[^"\\]|\\.)*"$/s.test(string);
  try {
    return JSON.parse(isWhole ? string : `${string.replace(/\\(u[\da-f]{0,3})?$/i, '')}…"`) as string;
  } catch {
    return string.slice(1); // what an application wrote that is not JSON
  }
}
