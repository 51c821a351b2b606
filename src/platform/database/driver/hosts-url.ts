/**
 * The url of each host that a url names, in libpq's form (`postgres://user@a:5432,b:5432/database`); one for a url
 * with a single host or none.
 */
export function urlsOfHosts(url: string): [string, ...string[]] {
  const [, before = '', hosts = '', after = ''] = /^(\w+:\/\/(?:[^/?]*@)?)([^/?]*)(.*)$/s.exec(url) ?? [];
  const urls = hosts.split(',').map((host) => `${before}${host}${after}`);
  return urls.length > 1 ? (urls as [string, ...string[]]) : [url];
}

/** The url of the first host, for what reads urls and makes no connection. */
export const urlOfFirstHost = (url: string): string => urlsOfHosts(url)[0];
