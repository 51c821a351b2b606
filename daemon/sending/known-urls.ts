import { joinedPath } from '../../src/domain/addresses/joined-path.js';
import { BoundedMap } from '../../src/domain/collections/bounded-map.js';

interface KnownUrl {
  origin: string;
  /** With the query. */
  path: string;
}

const KNOWN_MAX = 10_000;
const known = new BoundedMap<string, KnownUrl | null>(KNOWN_MAX);

/**
 * A webhook's url in its parts, parsed once: the gate asks for each delivery's, and so does the sender.
 *
 * @param behind a path that is joined behind its own
 * @returns null for a text that is not an http or https url
 */
export function findUrl(text: string, behind: string | null = null): KnownUrl | null {
  const url = findWhole(text);
  // Not kept: such a path is used once.
  return url === null || behind === null ? url : { origin: url.origin, path: joinedPath(url.path, behind) };
}

function findWhole(text: string): KnownUrl | null {
  const found = known.get(text);
  if (found !== undefined) {
    return found;
  }
  const url = URL.parse(text);
  const isHttp = url !== null && /^https?:$/.test(url.protocol);
  const search = url?.search || (text.endsWith('?') ? '?' : ''); // `search` is empty for an empty query
  const parts = isHttp ? { origin: url.origin, path: url.pathname + search } : null;
  known.set(text, parts);
  return parts;
}
