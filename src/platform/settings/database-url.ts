import { urlOfFirstHost, urlsOfHosts } from '../database/driver/hosts-url.js';
import { ignoredParameters, parameterFault } from './database-url-parameters.js';

/** The faults of a database url, each with the end of a sentence about it. None repeats the url: it has a password. */
const faults: readonly [isFaulty: (text: string) => boolean, which: string][] = [
  [(text) => !/^postgres(ql)?:\/\//.test(text), 'does not begin with postgres:// or postgresql://'],
  // People take a `%` without an escape, a `#` and a blank for parts of a password; parsers read something else.
  [(text) => /\s|["'`]$/.test(text), 'has a blank, a line break, or a quotation mark at its end'],
  [(text) => text.includes('#'), 'has a #'],
  [(text) => !isUnescapable(text), 'has a % that begins no escape'],
  [
    (text) => urlsOfHosts(text).some((url) => parsed(url) === null),
    'cannot be read: is the port a number up to 65535, and is no / or ? in the password?',
  ],
  // Without a name the driver would use the user's name, and the ORM none.
  [(text) => (parsed(urlOfFirstHost(text))?.pathname ?? '').length <= '/'.length, 'names no database'],
];

/**
 * Finds why a url would be read in another way than people mean it.
 *
 * @returns the end of a sentence, such as `has a blank`, without a part of the url; null for a good one
 */
export function databaseUrlFault(text: string): string | null {
  return faults.find(([isFaulty]) => isFaulty(text))?.[1] ?? parameterFault(text);
}

/** Adds a host where there is none, as the driver does for a socket (`postgres://user@/database?host=/run`). */
function parsed(text: string): URL | null {
  return URL.parse(text) ?? URL.parse(text.replace('@/', '@localhost/'));
}

function isUnescapable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** @returns a sentence about parameters of a good url that change nothing; null: there are none */
export function databaseUrlWarning(text: string): string | null {
  const ignored = ignoredParameters(text);
  return ignored.length === 0 ? null : `DATABASE_URL has parameters without effect: ${ignored.join(', ')}`;
}
