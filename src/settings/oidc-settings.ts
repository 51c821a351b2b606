import { z } from 'zod';
import { commaSeparated, optionalText, setting } from './setting.js';

/** A loopback address of the browser's own machine, where nobody else can read http. */
const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(\/|$)/;
const isPrivate = (url: string): boolean => url.startsWith('https://') || LOOPBACK.test(url);

function isIssuer(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && isPrivate(text) && `${url.username}${url.password}${url.search}${url.hash}` === '';
}

const roleValues = setting(commaSeparated, 'values of the claim, separated by commas');

/** Settings for signing in to the console by OpenID Connect. */
export const oidcSettings = {
  OIDC_ISSUER: setting(
    z.string().refine(isIssuer).optional(),
    'an https:// URL, as the provider itself writes it (http:// only on loopback)',
  ),
  OIDC_NAME: setting(z.string().min(1).max(100).optional(), '1 to 100 characters'),
  OIDC_CLIENT_ID: optionalText(),
  OIDC_CLIENT_SECRET: optionalText(),
  OIDC_SCOPES: setting(
    z
      .string()
      .default('openid profile email')
      .refine((text) => text.split(' ').includes('openid')),
    'scopes separated by blanks, openid among them',
  ),
  OIDC_ROLES_CLAIM: setting(
    z.string().min(1).default('groups'),
    'the name of a claim, or a path to one such as realm_access.roles',
  ),
  OIDC_ROLE_ADMIN: roleValues,
  OIDC_ROLE_SUPPORT: roleValues,
  OIDC_ROLE_VIEWER: roleValues,
} as const;

type OidcSettings = {
  readonly [Name in keyof typeof oidcSettings]: z.output<(typeof oidcSettings)[Name]['schema']>;
} & { readonly PUBLIC_URL: string | undefined };

/** @returns null: nobody signs in by OpenID Connect */
export function oidcFrom(s: OidcSettings) {
  if (s.OIDC_ISSUER === undefined) {
    return null;
  }
  return {
    issuer: s.OIDC_ISSUER,
    name: s.OIDC_NAME ?? new URL(s.OIDC_ISSUER).host,
    clientId: s.OIDC_CLIENT_ID!,
    clientSecret: s.OIDC_CLIENT_SECRET,
    scopes: s.OIDC_SCOPES,
    rolesClaim: s.OIDC_ROLES_CLAIM,
    /** The values of the claim that give each role. */
    roles: { admin: s.OIDC_ROLE_ADMIN, support: s.OIDC_ROLE_SUPPORT, viewer: s.OIDC_ROLE_VIEWER },
    /** The origin of the console: only its requests may come with a session's cookie. */
    publicUrl: s.PUBLIC_URL!,
  };
}

/** Lists what is missing for signing in by OpenID Connect, in sentences. */
export function oidcFaults(s: OidcSettings): string[] {
  if (s.OIDC_ISSUER === undefined) {
    return [];
  }
  const problems: string[] = [];
  if (s.PUBLIC_URL === undefined || !isPrivate(s.PUBLIC_URL)) {
    problems.push(
      `PUBLIC_URL is ${s.PUBLIC_URL ?? 'not set'}; with OIDC_ISSUER it must be an https:// origin (http:// only on loopback): the provider sends people back to it, with a cookie for this origin.`,
    );
  }
  if (s.OIDC_CLIENT_ID === undefined) {
    problems.push('OIDC_CLIENT_ID is not set; with OIDC_ISSUER it is required.');
  }
  if ([s.OIDC_ROLE_ADMIN, s.OIDC_ROLE_SUPPORT, s.OIDC_ROLE_VIEWER].every(({ length }) => length === 0)) {
    problems.push(
      `OIDC_ROLE_ADMIN, OIDC_ROLE_SUPPORT and OIDC_ROLE_VIEWER are not set: nobody could sign in. Name the values of the claim ${s.OIDC_ROLES_CLAIM} that give one of these roles.`,
    );
  }
  return problems;
}
