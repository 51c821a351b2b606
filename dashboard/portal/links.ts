const LINK_PATH = /^(.*)\/portal\/([si])\/([A-Za-z0-9_-]+)$/;
const HASH = /^#([^/]+)(\/.*)?$/;
const LOOPBACK = /^(localhost|[a-z0-9.-]+\.localhost|127\.[0-9.]+|\[::1\])$/;

export interface PortalLink {
  /** The path that takes the code. */
  path: string;
  code: string;
  /** The screen that the portal opens, such as `/deliveries?status=FAILED`; `/`: the first one. */
  place: string;
  /** How often in a row the page was opened in a frame before, and something of it was missing. */
  failures: number;
  /** The code is sent when the person wants it, and not by loading the page, as scanners of mails do. */
  isInvitation: boolean;
}

/**
 * Reads the link of a portal session, `https://<service>/portal/s/<public id>#<one-time code>`, or of an invitation,
 * which has `i` instead of `s`. A path of the portal may follow the code: it is not sent to the service either.
 * The parameter `failures` is a number, ignored by older portals.
 *
 * @param origin that of the service: a url of another one is not a link to this portal
 * @param base the path of the service at its origin
 * @returns null for any other text
 */
export function readPortalLink(url: string, origin: string, base = ''): PortalLink | null {
  const link = URL.parse(url);
  const [, code = '', place = ''] = HASH.exec(link?.hash ?? '') ?? [];
  const [, before, kind, publicId] = LINK_PATH.exec(link?.pathname ?? '') ?? [];
  return link?.origin === origin && before === base && publicId !== undefined && code !== ''
    ? {
        path: `${base}/portal/s/${publicId}`,
        code,
        place: place || '/',
        failures: Number(link.searchParams.get('failures')) || 0,
        isInvitation: kind === 'i',
      }
    : null;
}

/** The place of an address of the portal, such as `/deliveries?status=FAILED`. @param base as of the link */
export function placeIn({ pathname, search }: Pick<Location, 'pathname' | 'search'>, base = ''): string {
  const root = `${base}/portal`;
  return (pathname.startsWith(root) ? pathname.slice(root.length) : pathname) + search;
}

/** A url that a person may be led to: https, or http on this machine; null for any other, such as `javascript:`. */
export function safeReturnUrl(url: string | null | undefined): string | null {
  const target = URL.parse(url ?? '');
  const isSafe = target?.protocol === 'https:' || (target?.protocol === 'http:' && LOOPBACK.test(target.hostname));
  return target !== null && isSafe ? target.href : null;
}
