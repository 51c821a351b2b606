/** The faults of a database url, each with the end of a sentence about it. None repeats the url: it has a password. */
const faults: readonly [isFaulty: (text: string) => boolean, which: string][] = [
  [(text) => text !== text.trim(), 'has a blank or a line break at its beginning or end'],
  [(text) => /^["'`]|["'`]$/.test(text), 'stands in quotes: leave them out'],
  [
    (text) => /^jdbc:/i.test(text),
    'begins with jdbc:, as drivers of Java have it: leave that out, and write user and password before the host',
  ],
  [(text) => !/^postgres(ql)?:\/\//.test(text), 'does not begin with postgres:// or postgresql://'],
  // People take a `%` without an escape, a `#` and a blank for parts of a password; parsers read something else.
  [(text) => text.includes(' '), 'has a blank'],
  [(text) => text.includes('#'), 'has a #'],
  [(text) => !isUnescapable(text), 'has a % that begins no escape'],
  [namesSeveralHosts, 'names several hosts: name the one that takes writes'],
  [
    (text) => parsed(text) === null,
    'cannot be read: is the port a number up to 65535, and is no / or ? in the password?',
  ],
  // The driver would take that of the user's name, and the ORM takes none.
  [(text) => (parsed(text)?.pathname ?? '').length <= '/'.length, 'names no database'],
];

/**
 * Why the driver, and we who add options to the url, do not understand it as it was meant.
 *
 * @returns the end of a sentence, such as `has a blank`, without anything of the url; null for a good one
 */
export function databaseUrlFault(text: string): string | null {
  return faults.find(([isFaulty]) => isFaulty(text))?.[1] ?? null;
}

/** Without a host, as for a socket in a folder (`postgres://user@/database?host=/run`), the driver puts one in. */
function parsed(text: string): URL | null {
  return URL.parse(text) ?? URL.parse(text.replace('@/', '@localhost/'));
}

/** As libpq takes them, `host1:5432,host2:5432` or `?host=host1,host2`; the driver does not. */
function namesSeveralHosts(text: string): boolean {
  const [, authority = '', query = ''] = /^\w+:\/\/([^/?]*)[^?]*\??(.*)$/.exec(text) ?? [];
  const hosts = [authority.slice(authority.lastIndexOf('@') + 1), new URLSearchParams(query).get('host') ?? ''];
  return hosts.some((host) => host.includes(','));
}

function isUnescapable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * To the driver all of these are `verify-full`, and at each of them it warns, in eight lines, that this will change. So
 * they are called what they are, which also keeps them from getting weaker with a newer driver.
 */
export function withTlsMode(url: string): string {
  return /[?&]uselibpqcompat=true(&|$)/.test(url)
    ? url
    : url.replace(/([?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/, '$1verify-full');
}
