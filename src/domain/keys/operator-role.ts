import type { PlatformScope } from './scopes.js';

/** Roles of the operator's people in the console. Whoever has several has the first of these. */
const scopeOfRole = {
  admin: 'platform:admin',
  support: 'platform:support',
  viewer: 'platform:read',
} as const satisfies Record<string, PlatformScope>;

type Role = keyof typeof scopeOfRole;
type Claims = Readonly<Record<string, unknown>>;

/**
 * What somebody may do in the console, by what their OpenID provider says of them.
 *
 * @param name of the claim with the roles, or a path to it such as `realm_access.roles`
 * @param values the values that give each role
 * @returns null: they have no role here
 */
export function operatorScope(
  claims: Claims,
  name: string,
  values: Readonly<Record<Role, readonly string[]>>,
): PlatformScope | null {
  const held = [claimNamed(claims, name)].flat();
  const role = (Object.keys(scopeOfRole) as Role[]).find((one) => values[one].some((value) => held.includes(value)));
  return role === undefined ? null : scopeOfRole[role];
}

/** Names may have dots themselves, as those that are urls do. */
export function claimNamed(claims: Claims, name: string): unknown {
  return claims[name] ?? name.split('.').reduce<unknown>((within, step) => (within as Claims)?.[step], claims);
}

const KEY_NAME_LENGTH_MAX = 200;

/**
 * The name of the API key of somebody's session. The subject is what the provider guarantees; the e-mail address is
 * what people know each other by.
 */
export function sessionName({ sub, email, preferred_username: userName }: Claims): string {
  const known = [email, userName].find((one) => typeof one === 'string' && one.trim() !== '');
  const name = known === undefined ? `console: ${sub}` : `console: ${known} (${sub})`;
  return [...name.replaceAll(/[\p{Cc}\p{Cs}]/gu, '')].slice(0, KEY_NAME_LENGTH_MAX).join('');
}
