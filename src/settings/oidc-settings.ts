import { z } from 'zod';
import { commaSeparated, setting } from './setting.js';

/** A loopback address in the browser's own machine: what goes there over http nobody else reads. */
const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(\/|$)/;
const isPrivate = (url: string): boolean => url.startsWith('https://') || LOOPBACK.test(url);

function isIssuer(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && isPrivate(text) && `${url.username}${url.password}${url.search}${url.hash}` === '';
}

const roleValues = (role: string, may: string) =>
  setting(
    commaSeparated,
    'values of the claim, separated by commas',
    `Whoever has one of these values in OIDC_ROLES_CLAIM is ${role} in the console: ${may}. Default: nobody.`,
  );

/** Of the console's sign-in by OpenID Connect. */
export const oidcSettings = {
  OIDC_ISSUER: setting(
    z.string().refine(isIssuer).optional(),
    'an https:// URL, as the provider itself writes it (http:// on loopback alone)',
    'The OpenID provider by which people sign in to the console. It needs PUBLIC_URL, OIDC_CLIENT_ID and one of OIDC_ROLE_…. Unset: people sign in with keys alone.',
  ),
  OIDC_NAME: setting(
    z.string().min(1).max(100).optional(),
    '1 to 100 characters',
    'What the sign-in page calls the provider. Default: the host of OIDC_ISSUER.',
  ),
  OIDC_CLIENT_ID: setting(
    z.string().min(1).optional(),
    'a text',
    'The id that the provider has given to this service. Its redirect URI is PUBLIC_URL and /console/oidc/callback, and after signing out people come back to PUBLIC_URL and /console.',
  ),
  OIDC_CLIENT_SECRET: setting(
    z.string().min(1).optional(),
    'a text',
    'The secret that belongs to OIDC_CLIENT_ID. Unset: a public client, which has none.',
  ),
  OIDC_SCOPES: setting(
    z
      .string()
      .default('openid profile email')
      .refine((text) => text.split(' ').includes('openid')),
    'scopes separated by blanks, openid among them',
    'What the provider is asked for. Some give groups only to who asks for the scope groups.',
  ),
  OIDC_ROLES_CLAIM: setting(
    z.string().min(1).default('groups'),
    'the name of a claim, or a path to one such as realm_access.roles',
    'The claim of the ID token, or else of the user info, that has the roles of a person: a text or a list of texts.',
  ),
  OIDC_ROLE_ADMIN: roleValues('an admin', 'may do everything (platform:admin)'),
  OIDC_ROLE_SUPPORT: roleValues('support', 'reads everything, and acts for every tenant (platform:support)'),
  OIDC_ROLE_VIEWER: roleValues('a viewer', 'reads everything and changes nothing (platform:read)'),
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
    /** Where browsers reach the console: the only origin of which a request may come with a session's cookie. */
    publicUrl: s.PUBLIC_URL!,
  };
}

/** What is missing for signing in by OpenID Connect, in sentences. */
export function oidcFaults(s: OidcSettings): string[] {
  if (s.OIDC_ISSUER === undefined) {
    return [];
  }
  const problems: string[] = [];
  if (s.PUBLIC_URL === undefined || !isPrivate(s.PUBLIC_URL)) {
    problems.push(
      `PUBLIC_URL is ${s.PUBLIC_URL ?? 'not set'}; with OIDC_ISSUER it must be an https:// origin (http:// on loopback alone): the provider sends people back to it, with a cookie for this origin.`,
    );
  }
  if (s.OIDC_CLIENT_ID === undefined) {
    problems.push('OIDC_CLIENT_ID is not set; with OIDC_ISSUER it is required.');
  }
  if ([s.OIDC_ROLE_ADMIN, s.OIDC_ROLE_SUPPORT, s.OIDC_ROLE_VIEWER].every(({ length }) => length === 0)) {
    problems.push(
      `OIDC_ROLE_ADMIN, OIDC_ROLE_SUPPORT and OIDC_ROLE_VIEWER are not set: nobody could sign in. Say which values of the claim ${s.OIDC_ROLES_CLAIM} give one of these roles.`,
    );
  }
  return problems;
}
