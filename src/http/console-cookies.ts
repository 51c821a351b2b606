import type { FastifyRequest } from 'fastify';
import type { Config } from '../settings/config.js';

type Oidc = NonNullable<Config['oidc']>;
type Request = Pick<FastifyRequest, 'method' | 'headers'>;

/** Of a session that was begun by OpenID Connect: its value is the API key. */
export const SESSION_COOKIE = 'hookwright';

interface Cookie {
  name: string;
  /** Empty: the cookie ends. */
  value: string;
  lifeSeconds: number;
  /** Strict: only our own pages send it. Lax: so do links and redirects that lead here. */
  sameSite: 'Strict' | 'Lax';
}

/**
 * Over TLS cookies have the prefix `__Host-`: no other host, and nobody on the way, can set one. Over http, which is
 * there on loopback alone, not every browser takes such cookies.
 */
const isSecure = ({ publicUrl }: Oidc): boolean => publicUrl.startsWith('https:');
const nameOf = (oidc: Oidc, name: string): string => (isSecure(oidc) ? `__Host-${name}` : name);

/** @returns the value of the header Set-Cookie */
export function cookieText(oidc: Oidc, { name, value, lifeSeconds, sameSite }: Cookie): string {
  const age = value === '' ? 0 : lifeSeconds;
  const secure = isSecure(oidc) ? '; Secure' : '';
  return `${nameOf(oidc, name)}=${value}; Path=/; Max-Age=${age}; HttpOnly; SameSite=${sameSite}${secure}`;
}

export function readCookie(oidc: Oidc, { headers }: Pick<Request, 'headers'>, name: string): string | undefined {
  const begin = `${nameOf(oidc, name)}=`;
  const found = headers.cookie?.split('; ').find((one) => one.startsWith(begin));
  return found?.slice(begin.length) || undefined;
}

/**
 * The API key of a request to GraphQL, as the header Authorization has it. The cookie of a session counts only where a
 * script of our own pages has sent the request, as the browser itself says, and where there is no such header.
 *
 * @returns undefined: the request has none
 */
export function authorizationOf({ oidc }: Config, request: Request): string | undefined {
  const { authorization } = request.headers;
  if (authorization !== undefined) {
    return EMPTY_BEARER.test(authorization.trim()) ? undefined : authorization;
  }
  return oidc === null || !isFromOwnPage(oidc, request) ? undefined : sessionOf(oidc, request);
}

/** The header as GraphiQL sends it before a key was filled in, so that it can ask for the schema all the same. */
const EMPTY_BEARER = /^(Bearer)?$/i;

/** A page can change neither of these headers; browsers of before 2023 do not send the second one. */
function isFromOwnPage({ publicUrl }: Oidc, { method, headers }: Request): boolean {
  return (
    method === 'POST' && headers.origin === publicUrl && (headers['sec-fetch-site'] ?? 'same-origin') === 'same-origin'
  );
}

function sessionOf(oidc: Oidc, request: Request): string | undefined {
  const key = readCookie(oidc, request, SESSION_COOKIE);
  return key === undefined ? undefined : `Bearer ${key}`;
}
