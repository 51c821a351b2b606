import { visibleText } from '../text/visible-text.js';
import type { PlatformScope } from './scopes.js';

/** Roles of the operator's people in the console. The first one counts where somebody has several. */
const scopeOfRole = {
  admin: 'platform:admin',
  support: 'platform:support',
  viewer: 'platform:read',
} as const satisfies Record<string, PlatformScope>;

type Role = keyof typeof scopeOfRole;
type Claims = Readonly<Record<string, unknown>>;

/**
 * The scope of a person in the console, by the claims of the OpenID provider.
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
  const given = [claimNamed(claims, name)].flat();
  const role = (Object.keys(scopeOfRole) as Role[]).find((one) => values[one].some((value) => given.includes(value)));
  return role === undefined ? null : scopeOfRole[role];
}

/** Names may have dots themselves, as those that are urls do. */
export function claimNamed(claims: Claims, name: string): unknown {
  return claims[name] ?? name.split('.').reduce<unknown>((within, step) => (within as Claims)?.[step], claims);
}

const KEY_NAME_LENGTH_MAX = 200;

/** The name of a session's API key: a name that people know, and the subject, which the provider guarantees. */
export function sessionName({ sub, email, preferred_username: userName }: Claims): string {
  const known = [email, userName].find((one) => typeof one === 'string' && one.trim() !== '');
  const name = known === undefined ? `console: ${sub}` : `console: ${known} (${sub})`;
  return [...visibleText(name).replaceAll(/[\p{Cc}\p{Cs}]/gu, '')].slice(0, KEY_NAME_LENGTH_MAX).join('');
}
