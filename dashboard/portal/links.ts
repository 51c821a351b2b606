const LINK_PATH = /^\/portal\/s\/[A-Za-z0-9_-]+$/;
const LOOPBACK = /^(localhost|[a-z0-9.-]+\.localhost|127\.[0-9.]+|\[::1\])$/;

/**
 * What the url of a portal session says: `https://<service>/portal/s/<public id>#<one-time code>`.
 *
 * @param origin that of the service: a url of another one is not a link to this portal
 * @returns the path that takes the code, and the code; null for any other text
 */
export function readPortalLink(url: string, origin: string): { path: string; code: string } | null {
  const link = URL.parse(url);
  const code = link?.hash.slice(1) ?? '';
  return link?.origin === origin && LINK_PATH.test(link.pathname) && code !== '' ? { path: link.pathname, code } : null;
}

/** A url that a person may be led to: https, or http on this machine; null for any other, such as `javascript:`. */
export function safeReturnUrl(url: string | null | undefined): string | null {
  const target = URL.parse(url ?? '');
  const isSafe = target?.protocol === 'https:' || (target?.protocol === 'http:' && LOOPBACK.test(target.hostname));
  return target !== null && isSafe ? target.href : null;
}
