import { z } from 'zod';
import { list, optionalText, SecretSetting, Setting, type ValuesOf } from './setting.js';

/** A loopback address of the browser's own machine, where nobody else can read http. */
const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(\/|$)/;
const isPrivate = (url: string): boolean => url.startsWith('https://') || LOOPBACK.test(url);

function isIssuer(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && isPrivate(text) && `${url.username}${url.password}${url.search}${url.hash}` === '';
}

const roleValues = (name: string) => list(name, () => true, 'values of the claim, separated by commas');

/** Settings for signing in to the console by OpenID Connect. */
export const oidcSettings = {
  issuer: new Setting(
    'OIDC_ISSUER',
    z.string().refine(isIssuer).optional(),
    'an https:// URL, as the provider itself writes it (http:// only on loopback)',
  ),
  name: new Setting('OIDC_NAME', z.string().min(1).max(100).optional(), '1 to 100 characters'),
  clientId: optionalText('OIDC_CLIENT_ID'),
  clientSecret: new SecretSetting('OIDC_CLIENT_SECRET', z.string().min(1).optional(), 'a text'),
  scopes: new Setting(
    'OIDC_SCOPES',
    z
      .string()
      .default('openid profile email')
      .refine((text) => text.split(' ').includes('openid')),
    'scopes separated by blanks, openid among them',
  ),
  rolesClaim: new Setting(
    'OIDC_ROLES_CLAIM',
    z.string().min(1).default('groups'),
    'the name of a claim, or a path to one such as realm_access.roles',
  ),
  /** The values of the claim that give each role. */
  roles: {
    admin: roleValues('OIDC_ROLE_ADMIN'),
    support: roleValues('OIDC_ROLE_SUPPORT'),
    viewer: roleValues('OIDC_ROLE_VIEWER'),
  },
};

type OidcValues = ValuesOf<typeof oidcSettings>;

/** @returns null: nobody signs in by OpenID Connect */
export function oidcFrom(oidc: OidcValues, publicUrl: string | undefined) {
  const { issuer, name, clientId } = oidc;
  if (issuer === undefined) {
    return null;
  }
  return {
    ...oidc,
    issuer,
    name: name ?? new URL(issuer).host,
    clientId: clientId!,
    publicUrl: publicUrl!,
    /** The origin of the console: only its requests may come with a session's cookie. */
    origin: new URL(publicUrl!).origin,
    /** The path of the service at this origin: empty, or such as `/hooks`. */
    basePath: basePathOf(publicUrl!),
  };
}

export const basePathOf = (publicUrl: string): string => new URL(publicUrl).pathname.replace(/\/$/, '');

/** Lists what is missing for signing in by OpenID Connect, in sentences. */
export function oidcFaults(
  { issuer, clientId, rolesClaim, roles }: OidcValues,
  publicUrl: string | undefined,
): string[] {
  if (issuer === undefined) {
    return [];
  }
  const problems: string[] = [];
  if (publicUrl === undefined || !isPrivate(publicUrl)) {
    problems.push(
      `PUBLIC_URL is ${publicUrl ?? 'not set'}; with OIDC_ISSUER it must be an https:// origin (http:// only on loopback): the provider sends people back to it, with a cookie for this origin.`,
    );
  }
  if (clientId === undefined) {
    problems.push('OIDC_CLIENT_ID is not set; with OIDC_ISSUER it is required.');
  }
  if (Object.values(roles).every(({ length }) => length === 0)) {
    problems.push(
      `OIDC_ROLE_ADMIN, OIDC_ROLE_SUPPORT and OIDC_ROLE_VIEWER are not set: nobody could sign in. Name the values of the claim ${rolesClaim} that give one of these roles.`,
    );
  }
  return problems;
}
