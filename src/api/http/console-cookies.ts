import type { FastifyRequest } from 'fastify';
import type { Config } from '../../platform/settings/config.js';

type Oidc = NonNullable<Config['oidc']>;
type Request = Pick<FastifyRequest, 'method' | 'headers'>;

/** The cookie of a session by OpenID Connect. Its value is the API key. */
export const SESSION_COOKIE = 'hookwright';
/**
 * Number and hash of that key. Browsers send this cookie, but not that one, when the provider sends somebody back; then
 * the former session of the browser ends.
 */
export const FORMER_COOKIE = 'hookwright-former';

interface Cookie {
  name: string;
  /** Empty to delete the cookie. */
  value: string;
  lifeSeconds: number;
  /** Strict: only our own pages send it. Lax: also links and redirects to them. */
  sameSite: 'Strict' | 'Lax';
}

/**
 * Over TLS cookies have the prefix `__Host-`, so that no other host can set one. It demands the path `/`; below a path
 * the prefix is `__Secure-`, and other applications of the origin do not get the cookie. Over http browsers may refuse
 * both.
 */
const isSecure = ({ publicUrl }: Oidc): boolean => publicUrl.startsWith('https:');
const prefixOf = (oidc: Oidc): string => (isSecure(oidc) ? (oidc.basePath === '' ? '__Host-' : '__Secure-') : '');
const nameOf = (oidc: Oidc, name: string): string => prefixOf(oidc) + name;

/** @returns the value of the header Set-Cookie */
export function cookieText(oidc: Oidc, { name, value, lifeSeconds, sameSite }: Cookie): string {
  const age = value === '' ? 0 : lifeSeconds;
  const secure = isSecure(oidc) ? '; Secure' : '';
  return `${nameOf(oidc, name)}=${value}; Path=${oidc.basePath || '/'}; Max-Age=${age}; HttpOnly; SameSite=${sameSite}${secure}`;
}

export function readCookie(oidc: Oidc, { headers }: Pick<Request, 'headers'>, name: string): string | undefined {
  const begin = `${nameOf(oidc, name)}=`;
  const found = headers.cookie?.split('; ').find((one) => one.startsWith(begin));
  return found?.slice(begin.length) || undefined;
}

/**
 * The API key in the cookie of a session. It counts if the browser says that a script of our own pages has sent the
 * request, and only without the header Authorization, or beside the one of HTTP Basic: browsers add that to every
 * request by themselves where a proxy asks for it.
 */
export function sessionKeyOf({ oidc }: Config, request: Request): string | undefined {
  const isAlone = BASIC.test(request.headers.authorization ?? 'Basic');
  return oidc !== null && isAlone && isFromOwnPage(oidc, request)
    ? readCookie(oidc, request, SESSION_COOKIE)
    : undefined;
}

/**
 * The API key of a request to GraphQL, in the form of the header Authorization.
 *
 * @returns undefined for a request without a key
 */
export function authorizationOf(config: Config, request: Request): string | undefined {
  const key = sessionKeyOf(config, request);
  const { authorization } = request.headers;
  if (key !== undefined) {
    return `Bearer ${key}`;
  }
  return authorization === undefined || EMPTY_BEARER.test(authorization.trim()) ? undefined : authorization;
}

const BASIC = /^Basic\b/i;

/** GraphiQL sends this header before a key was filled in, to ask for the schema. */
const EMPTY_BEARER = /^(Bearer)?$/i;

/** Pages cannot change these headers. Browsers before 2023 do not send the second one. */
function isFromOwnPage({ origin }: Oidc, { method, headers }: Request): boolean {
  return (
    method === 'POST' && headers.origin === origin && (headers['sec-fetch-site'] ?? 'same-origin') === 'same-origin'
  );
}
