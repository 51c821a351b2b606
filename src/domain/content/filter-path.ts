/** Paths of filters: the names that lead to a field of the payload, or the type of the event. */

/** Stands for the event type. */
export const TYPE_PATH = '@type';

export const PATH_NAMES_MAX = 10;
export const PATH_CHARS_MAX = 200;

/** One name of a path, as it is written. */
export const NAME = /[\p{L}\p{M}\p{N}_-]+|"(?:[^"\\\p{Cc}]|\\.)*"/u;
const NAMES = new RegExp(NAME.source, 'gu');
const PATH = new RegExp(`^(?:${NAME.source})(?:\\.(?:${NAME.source}))*$`, 'u');

/** Most paths: their look-up is quicker. */
const SIMPLE_PATH = /^[\w-]+(?:\.[\w-]+)*$/;

/** The names of a path, as the payload has them; null: it is malformed. Not for `@type`. */
export function namesOf(path: string): string[] | null {
  if (path.length > PATH_CHARS_MAX || !(SIMPLE_PATH.test(path) || PATH.test(path))) {
    return null;
  }
  const names = path.includes('"') ? path.match(NAMES)!.map(nameOf) : path.split('.');
  return names.length <= PATH_NAMES_MAX && names.every((name) => name !== null) ? names : null;
}

const BARE = new RegExp(`^(?:${NAME.source.split('|')[0]})$`, 'u');

/** The path of names: what `namesOf` reads. */
export const pathOf = (names: readonly string[]): string =>
  names.map((name) => (BARE.test(name) ? name : JSON.stringify(name))).join('.');

/** Postgres can have neither NUL nor half of a surrogate pair in a text. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

function nameOf(written: string): string | null {
  if (!written.startsWith('"')) {
    return written;
  }
  try {
    const name = JSON.parse(written) as string;
    return isStorable(name) ? name : null;
  } catch {
    return null; // such as an escape that JSON does not have
  }
}
