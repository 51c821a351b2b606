import { URL_LENGTH_MAX } from '../fields/webhook-fields.js';
import { refusedPorts } from './special-ranges.js';

/**
 * The rules of a url that depend on no setting and no address. The dashboard's form reads them too, so this file
 * imports nothing of Node.
 */

interface UrlFault {
  code: 'url_too_long' | 'url_characters' | 'url_port' | 'url_not_absolute' | 'url_userinfo' | 'url_fragment';
  /** A sentence for the webhook's owner. */
  reason: string;
}

const LOWEST_FREE_PORT = 1024;
const PORT_MAX = 65_535;
export const tooLong: UrlFault = { code: 'url_too_long', reason: `must have at most ${URL_LENGTH_MAX} characters` };
export const refusedPort: UrlFault = {
  code: 'url_port',
  reason: `must use port 443 or 80, or one from ${LOWEST_FREE_PORT} to ${PORT_MAX} that no database or other internal service uses`,
};

/** Names that mean this machine or this network, no matter what a resolver says (RFC 6761, 6762, 8375, 7686, 9476). */
const privateSuffixes =
  'localhost localdomain local internal intranet private lan home corp home.arpa onion alt invalid test example'.split(
    ' ',
  );

/** The url that a text is, or why it is none. */
export function readUrl(text: string): URL | UrlFault {
  if (text.length > URL_LENGTH_MAX) {
    return tooLong;
  }
  if (/\p{Cc}/u.test(text) || !text.isWellFormed()) {
    return { code: 'url_characters', reason: 'must not contain control characters or half of a surrogate pair' };
  }
  if (!URL.canParse(text) || !/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) {
    return URL.canParse(withoutPort(text)) && withoutPort(text) !== text
      ? refusedPort
      : { code: 'url_not_absolute', reason: 'must be an absolute URL, such as https://example.com/hooks' };
  }
  return new URL(text);
}

/** Looks for parts that no url of a webhook may have. */
export function partFault(url: URL, text: string): UrlFault | null {
  if (url.username !== '' || url.password !== '' || /^[^/?#]*\/\/[^/?#]*@/.test(text)) {
    return { code: 'url_userinfo', reason: 'must not contain a user name or password: set them as delivery.auth' };
  }
  return url.hash !== '' || text.includes('#')
    ? { code: 'url_fragment', reason: 'must not contain a fragment (#…): it would never be sent' }
    : null;
}

/** The host without the brackets of an IPv6 address, and without the dot of the root. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '');

export function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port);
}

export function isPortAllowed(port: number): boolean {
  return port === 80 || port === 443 || (port >= LOWEST_FREE_PORT && port <= PORT_MAX && !refusedPorts.has(port));
}

/** In octets (RFC 1035 §2.3.4); longer ones can be looked up nowhere. */
const NAME_LENGTH_MAX = 253;
const LABEL_LENGTH_MAX = 63;

export function isPublicName(host: string): boolean {
  const labels = host.split('.');
  return (
    labels.length > 1 &&
    host.length <= NAME_LENGTH_MAX &&
    labels.every(({ length }) => length > 0 && length <= LABEL_LENGTH_MAX) &&
    !privateSuffixes.some((suffix) => host === suffix || host.endsWith(`.${suffix}`)) &&
    !/^[0-9]+$/.test(labels.at(-1) ?? '')
  );
}

/** Whether a name means this machine (RFC 6761 §6.3). */
export const isLocalhost = (host: string) => /(^|\.)localhost\.*$/i.test(host);

/** A number above 65535 makes the whole text no url (WHATWG URL). */
const withoutPort = (text: string) => text.replace(/^([a-z][a-z0-9+.-]*:\/\/[^/?#]*):[0-9]+/i, '$1');
