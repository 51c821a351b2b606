/**
 * Whether the driver, and we who add options to the url, understand it as it was meant. A `%` that begins no escape, a
 * `#` and a blank are taken for parts of a password by people, and for something else by parsers. It must name a
 * database: the driver would take that of the user's name, and the ORM takes none.
 */
export function isDatabaseUrl(text: string): boolean {
  // Without a host, as for a socket in a folder (`postgres://user@/database?host=/run`), the driver puts one in.
  const url = URL.parse(text) ?? URL.parse(text.replace('@/', '@localhost/'));
  const namesDatabase = url !== null && url.pathname.length > '/'.length;
  return /^postgres(ql)?:\/\//.test(text) && namesDatabase && !/[ #]/.test(text) && isUnescapable(text);
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
